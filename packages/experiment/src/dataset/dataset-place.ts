import type { Dataset } from './dataset.js'
import { sourceOf } from './read-dataset.js'

/** Where the items of a dataset are, as far as it is known. */
export interface DatasetPlace {
  /** The directory of the dataset, or of the file of rows; `null` for items in memory. */
  readonly directory: string | null
  /** The name of the file of rows; `null` for anything else. */
  readonly file: string | null
  /** Whether the items are written in the program. */
  readonly isInMemory: boolean
}

/** Where the items of a dataset are. A dataset of the user's own is not taken for one in memory. */
export function placeOf(dataset: Dataset): DatasetPlace {
  const source = sourceOf(dataset)
  if (source === undefined) return { directory: dataset.directory, file: null, isInMemory: false }
  const { files } = source
  const isRows = files !== null && source.directory === null
  return { directory: files?.directory ?? null, file: isRows ? files.path : null, isInMemory: files === null }
}
