import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'

/** Paths that are shorter are known to every system. */
const longPath = 2_000

/**
 * Deletes a directory with all that is in it, also what lies deeper than the system has paths for, and what its owner may
 * not enter. Links are deleted, never followed; a directory that is not there is no error.
 *
 * @throws what the system says when it cannot be deleted
 */
export async function deleteTree(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    flatten(directory)
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** `deleteTree` that warns when it fails: whoever gives a directory back must not fail for that. */
export async function deleteOrWarn(directory: string): Promise<void> {
  try {
    await deleteTree(directory)
  } catch (thrown) {
    process.emitWarning(`The directory ${directory} could not be deleted: ${failureOf(thrown).message}`)
  }
}

/** Moves deep directories up to the root, and opens those that are closed. */
function flatten(root: string): void {
  const waiting = [root]
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const stats = lstatSync(directory, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isDirectory()) continue
    if ((stats.mode & 0o700) !== 0o700) chmodSync(directory, 0o700)
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      const place = join(directory, entry.name)
      waiting.push(place.length < longPath ? place : movedUp(root, place))
    }
  }
}

function movedUp(root: string, place: string): string {
  const target = join(root, `.deep-${randomBytes(8).toString('hex')}`)
  // A closed directory cannot be moved to another one: its entry ".." would change.
  chmodSync(place, 0o700)
  renameSync(place, target)
  return target
}
