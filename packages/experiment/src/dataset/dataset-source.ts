import type { Dataset } from './dataset.js'
import type { DatasetEntry, UnhashedItem } from './item.js'
import type { DatasetProblem } from './problem.js'

export interface ItemReading {
  readonly entry: DatasetEntry
  /** `null` when it has errors. */
  readonly item: UnhashedItem | null
  readonly problems: readonly DatasetProblem[]
  /** Called only if `item` is not `null`. */
  hash(): string | Promise<string>
}

/** The functions that each kind of dataset provides; `datasetOf` adds the rest. */
export interface DatasetSource
  extends Pick<Dataset, 'name' | 'version' | 'description' | 'metadata' | 'directory' | 'entries' | 'columns'> {
  /** How messages name it. */
  readonly path: string
  /** The file that lists the items, as problems name it. */
  readonly file: string
  /** Warnings about the list itself. */
  readonly problems: readonly DatasetProblem[]
  /** The files whose git state is recorded; `null` for items in memory. */
  readonly files: { readonly directory: string; readonly path: string } | null
  /** Reads the items whose entry is selected, in order, as many at a time as are available. */
  read(wanted: (entry: DatasetEntry) => boolean): AsyncIterable<readonly ItemReading[]>
  readAt(position: number): Promise<ItemReading>
}

/** The result of opening. With errors the source is there only to find more of them; `null` when it cannot be. */
export interface Opening {
  readonly source: DatasetSource | null
  readonly problems: readonly DatasetProblem[]
}
