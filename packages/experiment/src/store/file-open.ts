import { mkdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDirectory, removeOldTemporaries, syncDirectory } from './atomic-file.js'
import { onDisk, systemCode } from './disk-failure.js'
import { remember } from './file-listing.js'
import { fileWriter } from './file-writer.js'
import { type Lock, takeLock } from './lock.js'
import { checkRunId, runExists, runLocked, runUnknown } from './refusals.js'
import { experimentDirectory, findRun, type ResultsDirectory, writingFor } from './results-directory.js'
import { type RunPaths, readRun, runPaths, type StoredRun, settle } from './run-directory.js'
import { inResultOrder, manifestOf, type RunHead, runningHead } from './run-head.js'
import type { ResultStore, RunManifest, RunWriter } from './store.js'

/** Begins a run: its directory, its lock, its head. */
export async function openRun(directory: ResultsDirectory, manifest: RunManifest): Promise<RunWriter> {
  const experiment = experimentDirectory(directory, manifest.experimentName)
  const paths = runPaths(join(experiment, checkRunId(manifest.id)))
  await makeDirectory(experiment)
  await removeOldTemporaries(experiment)
  if ((await findRun(directory, manifest.id)) !== undefined) runExists(manifest.id)
  await makeRunDirectory(paths, manifest.id)
  if (directory.sync) await syncDirectory(experiment)
  return await writerOf(directory, paths, await lockRun(directory, paths, manifest.id), runningHead(manifest), noItems)
}

const noItems: Pick<StoredRun, 'items'> = { items: [] }

/** Goes on with a run, whatever became of it: a torn last line is cut off, the status is `running` again. */
export async function resumeRun(directory: ResultsDirectory, runId: string): ReturnType<ResultStore['resume']> {
  const paths = (await findRun(directory, runId)) ?? runUnknown(runId)
  const lock = await lockRun(directory, paths, runId)
  try {
    await settle(paths, directory.sync)
    const run = (await readRun(paths, directory.warn)) ?? runUnknown(runId)
    if (run.torn) await onDisk('cut the torn line off', paths.items, () => truncate(paths.items, run.wholeBytes))
    const manifest = manifestOf(run.head)
    const items = inResultOrder(run.items, manifest.itemOrder)
    return { manifest, items, writer: await writerOf(directory, paths, lock, runningHead(manifest), run) }
  } catch (thrown) {
    await lock.release()
    throw thrown
  }
}

/** Takes the lock of a run; `run-locked` names who has it. */
export async function lockRun(directory: ResultsDirectory, paths: RunPaths, runId: string): Promise<Lock> {
  const lock = await takeLock(paths.lock, directory.lockStaleMs)
  return 'holder' in lock ? runLocked(runId, lock.holder) : lock
}

async function writerOf(
  directory: ResultsDirectory,
  paths: RunPaths,
  lock: Lock,
  head: RunHead,
  { items }: Pick<StoredRun, 'items'>,
): Promise<RunWriter> {
  try {
    const writing = writingFor(directory, paths)
    const ended = (run: Pick<StoredRun, 'head' | 'items'>) => remember(paths, directory, run)
    return await fileWriter({ paths, head, items, lock, writing, ended })
  } catch (thrown) {
    await lock.release()
    throw thrown
  }
}

async function makeRunDirectory(paths: RunPaths, id: string): Promise<void> {
  await onDisk('make the directory', paths.directory, async () => {
    try {
      await mkdir(paths.directory)
    } catch (thrown) {
      if (systemCode(thrown) === 'EEXIST') runExists(id)
      throw thrown
    }
  })
}
