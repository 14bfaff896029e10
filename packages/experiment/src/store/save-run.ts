import { join, resolve } from 'node:path'
import { makeDirectory } from './disk.js'
import { remember } from './file-listing.js'
import { lockRun } from './file-open.js'
import { type SavedRun, saveNew, saveOver } from './file-save.js'
import { runExists } from './names.js'
import { experimentDirectory, findRun, type ResultsDirectory, writingFor } from './results-directory.js'
import { type RunPaths, runPaths } from './run-directory.js'

/** How old a lock is that its holder has given up. */
export const staleMs = 60_000

/** Saves a run whose trials are lines already into a results directory, as `save` of its store. Returns where its files are. */
export async function saveLines(directory: string, run: SavedRun): Promise<RunPaths> {
  return await saveRun(
    { results: resolve(directory), lockStaleMs: staleMs, sync: true, warn: (message) => process.emitWarning(message) },
    run,
  )
}

/** Saves a whole run; one of the same id is replaced. */
export async function saveRun(place: ResultsDirectory, run: SavedRun): Promise<RunPaths> {
  const { id, experimentName } = run.head
  const experiment = experimentDirectory(place, experimentName)
  const found = await findRun(place, id)
  const paths = runPaths(join(experiment, id))
  if (found !== undefined && found.directory !== paths.directory) runExists(id)
  await makeDirectory(experiment, place.sync)
  const writing = writingFor(place, paths)
  if (!(await saveNew(run, paths, writing))) {
    const lock = await lockRun(place, paths, id)
    try {
      await saveOver(run, paths, writing)
    } finally {
      await lock.release()
    }
  }
  await remember(paths, place, { head: run.head, items: run.trials })
  return paths
}
