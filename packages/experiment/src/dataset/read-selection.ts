import type { Dataset, DatasetVersion } from './dataset.js'
import { type ItemFilter, selectionOf } from './filter.js'
import type { AskedState } from './git-state.js'
import type { DatasetItem } from './item.js'
import type { DatasetProblem } from './problem.js'
import { type DatasetSource, findProblems, hashed, sourceOf, stateOf, versionOf } from './read-dataset.js'

/** The selected items and their version; without them when one is broken. */
export interface SelectionReading {
  readonly problems: readonly DatasetProblem[]
  readonly selected: { readonly items: readonly DatasetItem[]; readonly version: DatasetVersion } | null
}

/**
 * Reads the items that a filter selects, once: what is wrong with them and, when nothing is, the items with their hashes
 * and the version that they make. A dataset of the user's own is asked through its functions, one after the other.
 *
 * @param asked what git was asked already, which may answer for the files of the dataset too
 */
export async function readSelection(
  dataset: Dataset,
  filter: ItemFilter | undefined,
  asked?: AskedState,
): Promise<SelectionReading> {
  const source = sourceOf(dataset)
  return source === undefined ? readByFunctions(dataset, filter) : readOnce(source, filter, asked)
}

async function readOnce(
  source: DatasetSource,
  filter: ItemFilter | undefined,
  asked: AskedState | undefined,
): Promise<SelectionReading> {
  const items: DatasetItem[] = []
  const state = stateOf(source, asked)
  const problems = await findProblems(source, selectionOf(filter), (reading) => {
    if (reading.item === null || reading.problems.some(isError)) return undefined
    const item = hashed(reading, source.path)
    if (item instanceof Promise) return item.then((known) => void items.push(known))
    items.push(item)
    return undefined
  })
  if (problems.some(isError)) return { problems, selected: null }
  return { problems, selected: { items, version: await versionOf(source, items, state) } }
}

async function readByFunctions(dataset: Dataset, filter: ItemFilter | undefined): Promise<SelectionReading> {
  const problems = await dataset.problems(filter)
  if (problems.some(isError)) return { problems, selected: null }
  const items: DatasetItem[] = []
  for await (const item of dataset.items(filter)) items.push(item)
  return { problems, selected: { items, version: await dataset.describe(filter) } }
}

function isError({ severity }: DatasetProblem): boolean {
  return severity === 'error'
}
