import { lstat, mkdir } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { copyOf } from '@jurist/workspace'

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
  const copy = await copyOf(root, { to: directory, ignore: skip.map((name) => `/${name}`), misfits: 'leave-out' })
  copy.keep()
  await copy[Symbol.asyncDispose]()
}
