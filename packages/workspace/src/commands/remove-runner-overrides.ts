import { lstatSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Workspace } from '@jurist/core'
import { maxEntries } from '@jurist/core/internal'
import { isInside } from '../containment.js'
import { globMatcher } from '../glob.js'
import { listTree } from '../list-tree.js'
import type { ProvisionedWorkspace } from '../provision.js'
import { isFile, sameFile } from './command-target.js'
import { copyInto, projectEntries } from './overlay.js'
import { placesOf } from './report-files.js'
import { buildDefinitions, snapshotsOf, strayPrograms } from './steering-files.js'

export interface RemovalOptions {
  /** Globs, relative to the root of the workspace or to the directory the command runs in. */
  readonly absent: readonly string[]
  /**
   * Globs of files that the agent may add. If they are given, everything else that only the agent has is removed as
   * well.
   */
  readonly sources: readonly string[] | undefined
  /** The workspaces whose files may stay. A changed file is restored from the first one that has it. */
  readonly originals: readonly Workspace[]
  /** Paths that were laid over. */
  readonly laid: readonly string[]
  /** The working directory, normalised. */
  readonly cwd: string
  /** Whether the package manager links every program of a package, as npm and Yarn do. */
  readonly linksPrograms: boolean
  readonly signal: AbortSignal
}

/**
 * Removes the files that steer a run from a copy if only the agent has them. Those that the agent changed are restored,
 * unless they define the build.
 *
 * @returns their paths
 */
export async function removeRunnerOverrides(
  copy: ProvisionedWorkspace,
  taking: RemovalOptions,
): Promise<readonly string[]> {
  const { absent, sources, originals, laid, cwd, linksPrograms, signal } = taking
  if (absent.length === 0 && sources === undefined) return []
  const isLaid = (path: string) => laid.some((one) => isInside(one, path))
  // Some loaders look for names without regard to case.
  const matches = await globMatcher(absent, cwd, { nocase: true })
  const isSnapshot = await globMatcher(absent.length === 0 ? [] : laid.flatMap(snapshotsOf), '.')
  const isSource = sources === undefined ? () => true : await globMatcher(sources, cwd)
  const suspects: string[] = []
  const strangers: string[] = []
  for await (const { path, type } of projectEntries(copy, signal, placesOf(absent, cwd))) {
    if (type === 'directory' || isLaid(path)) continue
    if (matches(path) || isSnapshot(path) || (await leadsToMatch(copy.root, path, matches))) suspects.push(path)
    else if (!isSource(path)) strangers.push(path)
  }
  const isDefinition = await globMatcher(buildDefinitions, cwd)
  const changed: string[] = []
  for (const path of suspects)
    if (await restoreFile(copy, path, { originals, mayChange: isDefinition(path) })) changed.push(path)
  for (const path of strangers) if (await removeStranger(copy, path, originals)) changed.push(path)
  const search = { workspace: copy, cwd, originals, linksPrograms, isLaid }
  const programs = absent.length === 0 ? [] : await strayPrograms(search)
  for (const path of programs) rmSync(join(copy.root, path), { recursive: true, force: true })
  return [...changed, ...programs]
}

/** Removes a file that no original has. */
async function removeStranger(
  copy: ProvisionedWorkspace,
  path: string,
  originals: readonly Workspace[],
): Promise<boolean> {
  for (const original of originals) if (await isFile(original, path)) return false
  rmSync(join(copy.root, path), { recursive: true, force: true })
  return true
}

interface RestoreOptions {
  readonly originals: readonly Workspace[]
  /** Whether the agent may have changed what it was given. */
  readonly mayChange: boolean
}

/** Restores a file from an original, or removes it if none has it. Returns `false` if it may stay as it is. */
async function restoreFile(
  copy: ProvisionedWorkspace,
  path: string,
  { originals, mayChange }: RestoreOptions,
): Promise<boolean> {
  const isLink = lstatSync(join(copy.root, path)).isSymbolicLink()
  let source: Workspace | undefined
  for (const original of originals) {
    if (!(await isFile(original, path))) continue
    if (!isLink && (mayChange || (await sameFile(copy, original, path)))) return false
    source ??= original
  }
  rmSync(join(copy.root, path), { recursive: true, force: true })
  if (source !== undefined) await copyInto(copy, source, path)
  return true
}

/** Whether a link to a directory gives one of its files a name that matches. */
async function leadsToMatch(root: string, path: string, matches: (path: string) => boolean): Promise<boolean> {
  const place = join(root, path)
  if (!lstatSync(place).isSymbolicLink() || statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true)
    return false
  const target = relative(root, realpathSync(place))
  for await (const entry of listTree(root, { under: target || '.', ignore: ['.git/'], maxEntries, signal: undefined }))
    if (matches(`${path}/${relative(target, entry.path)}`)) return true
  return false
}
