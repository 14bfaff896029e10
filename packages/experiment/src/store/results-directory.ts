import { join } from 'node:path'
import type { Writing } from './disk.js'
import { directoriesIn } from './documents.js'
import type { Listing } from './file-listing.js'
import { checkRunId, checkSafeName, isSafeName } from './names.js'
import { exists, type RunPaths, runPaths } from './run-directory.js'

/** A results directory, and how it is used. */
export interface ResultsDirectory extends Listing {
  /** Absolute. */
  readonly results: string
  readonly sync: boolean
}

/** The directory of an experiment; its name is checked before it becomes a path. */
export function experimentDirectory({ results }: ResultsDirectory, experimentName: string): string {
  return join(results, checkSafeName(experimentName, 'an experiment'))
}

/** The directories of all experiments that have one. */
export async function experimentDirectories({ results }: ResultsDirectory): Promise<readonly string[]> {
  const names = await directoriesIn(results)
  return names.filter(isSafeName).map((name) => join(results, name))
}

/**
 * Where a run is, in any experiment. A directory without a head is not a run: its writer died immediately.
 * `run-unknown` for text that is not a run id, before any path is made.
 */
export async function findRun(directory: ResultsDirectory, runId: string): Promise<RunPaths | undefined> {
  const id = checkRunId(runId)
  for (const experiment of await experimentDirectories(directory)) {
    const paths = runPaths(join(experiment, id))
    if (await exists(paths.head)) return paths
  }
  return undefined
}

/** How the files of a run are written. */
export function writingFor({ sync }: ResultsDirectory, paths: RunPaths): Writing {
  return { sync, temporary: join(paths.directory, '..') }
}
