import { lstat, mkdir } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { copyTree } from './copy-tree.js'

/**
 * Copies the present state of a workspace to a directory that must not exist.
 *
 * @param root the workspace; `undefined` when it is empty and has no directory
 * @throws `provision-failed` when something is there already
 */
export async function keepWorkspace(
  root: string | undefined,
  directory: string,
  skip: readonly string[] = [],
): Promise<void> {
  const existing = await lstat(directory).catch(() => undefined)
  if (existing !== undefined) {
    const reason = 'it exists already'
    throw new JuristError('provision-failed', `Cannot keep the workspace at ${directory}: ${reason}. Name a new one.`, {
      directory,
      reason,
    })
  }
  if (root === undefined) {
    await mkdir(directory, { recursive: true })
    return
  }
  await copyTree(root, directory, {
    clone: 'auto',
    skip,
    misfit: (path, problem) =>
      process.emitWarning(`${path} ${problem}; it was left out of ${directory}.`, 'JuristWarning'),
  })
}
