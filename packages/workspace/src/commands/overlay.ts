import { lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { blamed, JuristError, type Workspace, type WorkspaceEntry } from '@jurist/core'
import { isInside, locate } from '../containment.js'
import { copyOf } from '../copy.js'
import { copyFile } from '../copy-tree.js'
import { provisionFailed } from '../errors.js'
import { searchedEntries } from '../list-tree.js'
import type { ProvisionedWorkspace } from '../provision.js'
import { directoryOf, type LocalWorkspaceOptions, settingsOf } from '../workspace-settings.js'

export interface Laying {
  readonly workspace: Workspace
  readonly from: Workspace
  /** The workspace whose sandbox and environment the copy gets. Default: `workspace`. */
  readonly runsLike?: Workspace
  /** Normalised. Each path is replaced as a whole. */
  readonly paths: readonly string[]
  readonly signal: AbortSignal
}

/**
 * Creates a copy of a workspace in which each path has the content from `from`. It runs its commands as the original
 * does, and is deleted when it is disposed of.
 *
 * @throws `provision-failed` for a workspace without a directory, `sandbox-unavailable` for one that does not state how
 * it runs commands, `not-found` for a path that `from` does not have
 */
export async function overlaid({
  workspace,
  runsLike = workspace,
  from,
  paths,
  signal,
}: Laying): Promise<ProvisionedWorkspace> {
  const root = directoryOf(workspace)
  if (root === undefined)
    throw provisionFailed('for the overlay', 'the workspace has no directory that could be copied; judge a local one')
  for (const path of paths) if (!(await from.exists(path))) throw missing(path)
  // A link that leads outside, or a FIFO, may fail the tests that need it, but must not stop the judging.
  const settings = sameSettings(runsLike)
  const copy = await copyOf(root, { ...settings, ignore: [], misfits: 'leave-out', signal }).catch((thrown) => {
    throw blamed(workspace, thrown)
  })
  try {
    for (const path of paths) await replace(copy, from, path, signal)
    return copy
  } catch (thrown) {
    await copy[Symbol.asyncDispose]()
    throw thrown
  }
}

/** Uses a copy of a workspace that the agent did not touch, with the same files laid over it. */
export async function inCopyOf<Result>(
  original: Workspace,
  laying: Pick<Laying, 'runsLike' | 'signal'> & { readonly overlay?: Pick<Laying, 'from' | 'paths'> | undefined },
  use: (copy: ProvisionedWorkspace) => Promise<Result>,
): Promise<Result> {
  const { overlay = { from: original, paths: [] }, ...how } = laying
  await using copy = await overlaid({ workspace: original, ...overlay, ...how })
  return await use(copy)
}

/** The paths that a setup installed into a workspace. Judges do not take them from the agent. */
export function installedPaths(workspace: Workspace): readonly string[] {
  return settingsOf(workspace)?.installed?.paths ?? []
}

/** Commands must not escape from a sandbox by way of the copy, so a workspace without known settings is refused. */
function sameSettings(workspace: Workspace): LocalWorkspaceOptions {
  const settings = settingsOf(workspace)
  if (settings !== undefined) return settings
  const reason = 'the workspace does not show the sandbox of a local workspace, so its copy could run commands outside'
  throw new JuristError('sandbox-unavailable', `An overlay is not possible: ${reason}. Judge a local workspace.`, {
    sandbox: 'unknown',
    reason,
  })
}

async function replace(copy: ProvisionedWorkspace, from: Workspace, path: string, signal: AbortSignal): Promise<void> {
  clearTheWay(copy.root, path)
  if (await from.isFile(path)) return copyInto(copy, from, path)
  mkdirSync(join(copy.root, path), { recursive: true })
  for await (const entry of from.list({ under: path, signal })) {
    const target = entry.type === 'symlink' ? linkWithin(from, path, entry.path) : undefined
    if (entry.type === 'directory') mkdirSync(join(copy.root, entry.path), { recursive: true })
    else if (target !== undefined) symlinkSync(target, join(copy.root, entry.path))
    else if (await from.isFile(entry.path)) await copyInto(copy, from, entry.path)
    else throw provisionFailed(copy.root, `${entry.path} of the overlay is neither a file nor a directory`)
  }
}

/** Removes what is at the path, and anything above it that is not a directory, such as a link. */
export function clearTheWay(root: string, path: string): void {
  const names = path.split('/')
  for (const [index] of names.entries()) {
    const place = join(root, ...names.slice(0, index + 1))
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (found?.isDirectory() && index < names.length - 1) continue
    rmSync(place, { recursive: true, force: true })
    return
  }
}

/**
 * Returns the target of a link in a laid directory if it is in the same directory; programs of packages are such links.
 * Other links are replaced by their target: in the copy, they would lead to the agent's file.
 */
function linkWithin(from: Workspace, laid: string, path: string): string | undefined {
  const root = directoryOf(from)
  if (root === undefined) return undefined
  const [top, place] = [join(root, laid), join(root, path)]
  const target = readlinkSync(place)
  if (isAbsolute(target) || !isInside(top, resolve(dirname(place), target))) return undefined
  try {
    return isInside(realpathSync(top), realpathSync(place)) ? target : undefined
  } catch {
    return undefined
  }
}

/**
 * Copies a path of a workspace, whatever its size. Its modification time is as late as possible, so that no tool
 * considers the output of older sources up to date.
 */
export async function copyInto(copy: ProvisionedWorkspace, from: Workspace, path: string): Promise<void> {
  const root = directoryOf(from)
  if (root === undefined) return copy.write(path, await from.readBytes(path))
  const { absolute } = locate(copy.root, path)
  mkdirSync(dirname(absolute), { recursive: true })
  rmSync(absolute, { recursive: true, force: true })
  const how = { clone: 'auto', maxBytes: Number.POSITIVE_INFINITY } as const
  if (copyFile(locate(root, path).absolute, absolute, how) === undefined)
    throw provisionFailed(copy.root, `${path} of the overlay is not a file`)
  const now = new Date()
  utimesSync(absolute, now, now)
}

function missing(path: string): JuristError<'not-found'> {
  const problem = `${path} is in "overlay.paths", but the source of the overlay does not have it.`
  return new JuristError('not-found', problem, { path })
}

/** The texts of the laid files that count, by path. */
export async function laidTexts(
  from: Workspace,
  paths: readonly string[],
  counts: (path: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>()
  const add = async (path: string) => {
    if (counts(path)) texts.set(path, Buffer.from(await from.readBytes(path)).toString('utf8'))
  }
  for (const path of paths)
    if (await from.isFile(path)) await add(path)
    else for await (const entry of from.list({ under: path, signal })) if (entry.type === 'file') await add(entry.path)
  return texts
}

/**
 * Lists what the project itself has. No run writes its results to dependencies, unless one of the globs names a place
 * there.
 */
export async function* projectEntries(
  workspace: Workspace,
  signal: AbortSignal,
  globs: readonly string[] = [],
): AsyncGenerator<WorkspaceEntry> {
  try {
    yield* searchedEntries(workspace, globs, signal)
  } catch (thrown) {
    throw blamed(workspace, thrown)
  }
}
