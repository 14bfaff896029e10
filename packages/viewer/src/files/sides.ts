import { join } from 'node:path'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import { inside } from './inside.js'

/** What a workspace is compared with. */
export type Against = 'before' | 'reference'

/** Two directories to compare; `before` is `null` where the agent began with nothing. */
export interface SidesFound {
  readonly before: string | null
  readonly after: string
}

/** Where files may be read from. */
export interface Places {
  /** The results directory; `undefined` when the store keeps no files. */
  readonly directory: string | undefined
  /** Further directories for a run, such as those of datasets. */
  readonly sourcesOf: (run: ExperimentResult) => Promise<readonly string[]>
}

/** The directories of a trial, or why they cannot be compared. */
export async function sidesOf(
  { directory, sourcesOf }: Places,
  run: ExperimentResult,
  item: ItemResult,
  against: Against,
): Promise<SidesFound | string> {
  if (directory === undefined) return 'This store keeps no workspaces.'
  if (item.workspacePath === null) return 'The workspace was not kept. Keep it: jurist run --preserve all'
  const base = join(directory, run.experimentName, run.id)
  const after = await inside([directory], base, item.workspacePath)
  if (after === undefined) return 'The workspace is no longer there.'
  const path = against === 'before' ? item.beforePath : item.referencePath
  if (path === null && Object.hasOwn(item.metadata, `${against}Source`))
    return `The ${against} is a commit of a git repository, which this page does not read.`
  if (path === null) return against === 'before' ? { before: null, after } : 'The item has no reference.'
  const before = await inside([directory, ...(await sourcesOf(run))], directory, path)
  return before === undefined
    ? `${against === 'before' ? 'What the item began with' : 'The reference'} is neither in this store nor in a dataset of this project. Name the directory that holds it: jurist view --source <dir>`
    : { before, after }
}
