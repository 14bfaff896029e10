import { copyFile, mkdir, readdir, rename, rm, rmdir, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirectory, onDisk, removeOldTemporaries, syncDirectory, temporaryPath, type Writing } from './disk.js'
import { directoriesIn } from './documents.js'
import { type Listing, remember } from './file-listing.js'
import { type FileWriting, fileWriter, writeHead } from './file-writer.js'
import { type Lock, lockState, takeLock } from './lock.js'
import { checkRunId, checkSafeName, isRunId, isSafeName, runExists, runLocked, runUnknown } from './names.js'
import { exists, type RunPaths, readRun, runPaths, settle } from './run-directory.js'
import { inResultOrder, manifestOf, runningHead } from './run-head.js'
import type { ResultStore, RunManifest, RunWriter } from './store.js'

/** Begins a run: its directory, its lock, its head. */
export async function openRun(directory: ResultsDirectory, manifest: RunManifest): Promise<RunWriter> {
  const experiment = experimentDirectory(directory, manifest.experimentName)
  const paths = runPaths(join(experiment, checkRunId(manifest.id)))
  await makeDirectory(experiment, directory.sync)
  await removeOldTemporaries(experiment)
  await finishRemovals(experiment)
  if ((await findRun(directory, manifest.id)) !== undefined) runExists(manifest.id)
  // A directory without a head was left by a writer that died immediately: it is not a run and does no harm.
  await onDisk('make the directory', paths.directory, () => mkdir(paths.directory, { recursive: true }))
  if (directory.sync) await syncDirectory(experiment)
  const lock = await lockRun(directory, paths, manifest.id)
  return await orRelease(lock, async () => {
    if ((await findRun(directory, manifest.id)) !== undefined) runExists(manifest.id)
    const head = runningHead(manifest)
    await writeHead(paths, head, writingFor(directory, paths))
    return await writerOf(directory, paths, lock, { head, items: [], places: [], lines: 0, wholeBytes: 0, begun: true })
  })
}

/**
 * Continues a run, whatever its status. A torn last line, and lines added after the end, are cut off. Nothing else is
 * written before the first addition, so that a caller that finds the run unsuitable leaves it unchanged.
 */
export async function resumeRun(directory: ResultsDirectory, runId: string): ReturnType<ResultStore['resume']> {
  const paths = (await findRun(directory, runId)) ?? runUnknown(runId)
  const lock = await lockRun(directory, paths, runId)
  return await orRelease(lock, async () => {
    await settle(paths, directory.sync)
    const run = (await readRun(paths, directory.warn)) ?? runUnknown(runId)
    // A holder that wakes up writes into a file that is no longer read.
    if (lock.fromSilent) await renewed(paths, directory)
    if (run.torn) await onDisk('cut what is not of it off', paths.items, () => truncate(paths.items, run.wholeBytes))
    const manifest = manifestOf(run.head)
    const items = inResultOrder(run.items, manifest)
    const begun = run.head.status === 'running'
    const stored = { items: run.items, places: run.places, lines: run.lines, wholeBytes: run.wholeBytes }
    const writer = await writerOf(directory, paths, lock, { head: runningHead(manifest), ...stored, begun })
    return { manifest, items, writer }
  })
}

/** Replaces the trials by a copy, with another file behind it. */
async function renewed(paths: RunPaths, directory: ResultsDirectory): Promise<void> {
  const copy = temporaryPath(writingFor(directory, paths).temporary, 'items.jsonl')
  await onDisk('copy', paths.items, async () => {
    if (!(await exists(paths.items))) return
    await copyFile(paths.items, copy)
    await rename(copy, paths.items)
    if (directory.sync) await syncDirectory(paths.directory)
  })
}

/** Releases the lock if `action` fails. */
async function orRelease<Value>(lock: Lock, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
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
  run: Pick<FileWriting, 'head' | 'items' | 'places' | 'lines' | 'wholeBytes' | 'begun'>,
): Promise<RunWriter> {
  return await fileWriter({
    ...run,
    paths,
    lock,
    writing: writingFor(directory, paths),
    warn: directory.warn,
    ended: (stored) => remember(paths, directory, stored),
  })
}

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

/**
 * Removes the directory of a run whose lock the caller holds. The run disappears from lists first, its files one after
 * the other. The lock goes last, so that the remains after a kill still name their owner.
 */
export async function removeRunDirectory({ directory, lock }: RunPaths): Promise<void> {
  const away = temporaryPath(dirname(directory), basename(directory))
  await onDisk('remove', directory, () => rename(directory, away))
  await onDisk('remove', away, () => removeLockLast(away, basename(lock)))
}

async function removeLockLast(directory: string, lock: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name !== lock) await rm(join(directory, name), { recursive: true, force: true })
  await rm(directory, { recursive: true, force: true })
}

/**
 * Finishes removals of runs that processes of this machine began and did not survive. Those of a process that runs, or of
 * another machine, stay.
 */
export async function finishRemovals(experiment: string): Promise<void> {
  for (const entry of await readdir(experiment, { withFileTypes: true })) {
    const [id = ''] = entry.name.split('.', 1)
    if (!entry.isDirectory() || !entry.name.endsWith('.tmp') || !isRunId(id)) continue
    const directory = join(experiment, entry.name)
    const state = await lockState(join(directory, 'lock'))
    // Somebody else may finish it at the same time. What cannot be removed is tried again the next time.
    if (state === 'gone') await removeLockLast(directory, 'lock').catch(() => undefined)
    // Only its last step is missing; with anything inside, this fails.
    else if (state === 'none') await rmdir(directory).catch(() => undefined)
  }
}
