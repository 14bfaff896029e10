import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { blamed, JuristError, type Workspace } from '@jurist/core'
import { copyOf } from '../copy.js'
import { provisionFailed } from '../errors.js'
import type { ProvisionedWorkspace } from '../provision.js'
import { type LocalWorkspaceOptions, settingsOf } from '../workspace-settings.js'

/** What is laid over which workspace. */
export interface Laying {
  readonly workspace: Workspace
  readonly from: Workspace
  /** Whose sandbox and environment the copy gets. Default: those of the workspace. */
  readonly runsLike?: Workspace
  /** Normalised; each is replaced whole. */
  readonly paths: readonly string[]
  readonly signal: AbortSignal
}

/**
 * A copy of a workspace in which each path is what `from` has there. It runs its commands as the original does, and is
 * deleted when it is disposed of.
 *
 * @throws `provision-failed` for a workspace without a directory, `sandbox-unavailable` for one that does not tell how it
 * runs commands, `not-found` for a path that `from` does not have
 */
export async function overlaid({
  workspace,
  runsLike = workspace,
  from,
  paths,
  signal,
}: Laying): Promise<ProvisionedWorkspace> {
  const { root } = workspace
  if (root === undefined)
    throw provisionFailed('for the overlay', 'the workspace has no directory that could be copied; judge a local one')
  for (const path of paths) if (!(await from.exists(path))) throw missing(path)
  // A link that leads outside, or a FIFO, may only fail the tests that need it: whoever left it must not stop the judging.
  const copy = await copyOf(root, { ...sameSettings(runsLike), ignore: [], misfits: 'leave-out', signal }).catch(
    (thrown) => {
      throw blamed(workspace, thrown)
    },
  )
  try {
    for (const path of paths) await replace(copy, from, path, signal)
    return copy
  } catch (thrown) {
    await copy[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Commands must not get out of a sandbox by way of the copy, so a workspace that does not tell is refused. */
function sameSettings(workspace: Workspace): LocalWorkspaceOptions {
  const settings = settingsOf(workspace)
  if (settings !== undefined) return settings
  const reason = 'the workspace does not show the sandbox of a local workspace, so its copy could run commands outside'
  throw new JuristError('sandbox-unavailable', `There can be no overlay: ${reason}. Judge a local workspace.`, {
    sandbox: 'unknown',
    reason,
  })
}

async function replace(copy: ProvisionedWorkspace, from: Workspace, path: string, signal: AbortSignal): Promise<void> {
  clearTheWay(copy.root, path)
  if (await from.isFile(path)) return layFile(copy, from, path)
  mkdirSync(join(copy.root, path), { recursive: true })
  for await (const entry of from.list({ under: path, signal })) {
    if (entry.type === 'directory') mkdirSync(join(copy.root, entry.path), { recursive: true })
    else if (await from.isFile(entry.path)) await layFile(copy, from, entry.path)
    else throw provisionFailed(copy.root, `${entry.path} of the overlay is no file and no directory`)
  }
}

/** Whatever stands at the path goes, and whatever stands above it that is no directory, such as a link. */
function clearTheWay(root: string, path: string): void {
  const names = path.split('/')
  for (const [index] of names.entries()) {
    const place = join(root, ...names.slice(0, index + 1))
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found?.isDirectory() && index < names.length - 1) continue
    rmSync(place, { recursive: true, force: true })
    return
  }
}

/** Writes what a workspace has at a path into a copy. */
export async function layFile(copy: ProvisionedWorkspace, from: Workspace, path: string): Promise<void> {
  await copy.write(path, await from.readBytes(path))
  const source = from.root === undefined ? undefined : statSync(join(from.root, path), { throwIfNoEntry: false })
  if (source !== undefined && (source.mode & 0o111) !== 0) chmodSync(join(copy.root, path), 0o755)
}

function missing(path: string): JuristError<'not-found'> {
  return new JuristError('not-found', `${path} is to be laid over the workspace, but the source does not have it.`, {
    path,
  })
}
