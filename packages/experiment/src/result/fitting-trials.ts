import type { ItemResult } from './records.js'
import { itemsOf, type RunResult, type Trial, trialsOf } from './trial-figures.js'

/** Decides about the whole record of a trial. */
export type Fits = (item: ItemResult) => boolean
/** Decides by the JSON of a record whether it is worth reading. */
export type MayFit = (json: string) => boolean

/** How the trials of runs in files are found without all their records in memory. */
const searches = new WeakMap<RunResult, (fits: Fits, mayFit: MayFit) => Promise<readonly Trial[]>>()

/** Runs in files say how they are searched. Pages have no files, so that this module needs none. */
export function searchedBy(run: RunResult, search: (fits: Fits, mayFit: MayFit) => Promise<readonly Trial[]>): void {
  searches.set(run, search)
}

/**
 * Finds the trials of a run whose whole records fit. Of a run in files, few records are in memory at a time.
 *
 * @throws `store-failed` when the run was removed or changed since
 */
export async function fittingTrials(
  run: RunResult,
  fits: Fits,
  mayFit: MayFit = () => true,
): Promise<readonly Trial[]> {
  const search = searches.get(run)
  if (search !== undefined) return search(fits, mayFit)
  const items = await itemsOf(run)
  return trialsOf(run).filter((_, index) => items[index] !== undefined && fits(items[index]))
}
