import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { onDisk, temporaryPath } from './disk.js'
import { lockState } from './lock.js'
import { isRunId } from './names.js'
import type { RunPaths } from './run-directory.js'

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

const finished = new WeakMap<object, Set<string>>()

/** `finishRemovals`, once for each experiment of a store. */
export async function finishRemovalsOnce(store: object, experiment: string): Promise<void> {
  const known = finished.get(store) ?? new Set()
  if (known.has(experiment)) return
  finished.set(store, known.add(experiment))
  await finishRemovals(experiment)
}
