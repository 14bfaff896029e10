import { lstatSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { maxEntries } from '@jurist/core/internal'
import { copyTree } from './copy-tree.js'
import { listTree } from './list-tree.js'
import { systemPath } from './system-path.js'
import { deleteOrWarn, parentOfCopies, temporaryDirectory } from './temporary-directory.js'
import type { Installed } from './workspace-settings.js'

export interface LaidCopy {
  /**
   * Moves the copy out of the workspace for the next one, unless it was changed. The commands in the workspace must
   * have ended.
   */
  takeBack(): Promise<void>
}

/** The entries of a copy by their paths, each with a string that changes whenever the entry does. */
type Stamps = ReadonlyMap<string, string>

/** An unchanged copy that no workspace uses. */
interface Spare {
  readonly directory: string
  readonly stamps: Stamps
}

/** Spare copies by their source and their location. The one that was used last is at the end. */
const spares = new Map<string, readonly Spare[]>()

/** How many spare copies are kept: each may have the size of all packages of a project. */
const mostSpares = 8

/**
 * Copies what was installed into a directory, where each path replaces the existing one. When a workspace ends, it leaves
 * its copy to the next one: creating and deleting thousands of files takes longer than many a trial. A copy is used
 * again only if none of its files was touched, according to the change times, which no program can set; files that were
 * added to it are deleted.
 *
 * @throws as `copyOf`
 */
export async function copyInstalled(
  root: string,
  installed: Installed,
  signal: AbortSignal | undefined,
): Promise<LaidCopy> {
  const key = JSON.stringify([parentOfCopies(root), installed])
  const { from, paths } = installed
  for (const path of paths) rmSync(systemPath(join(root, path)), { recursive: true, force: true })
  const spare = takeSpare(key)
  if (spare !== undefined) {
    movePaths(spare.directory, root, paths)
    await deleteOrWarn(spare.directory)
  } else {
    for (const path of paths) await copyInto(join(from, path), join(root, path), signal)
  }
  const stamps = spare?.stamps ?? (await stampsOf(root, paths))
  return { takeBack: () => keepSpare(key, { root, paths, stamps }) }
}

async function copyInto(source: string, target: string, signal: AbortSignal | undefined): Promise<void> {
  if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return
  mkdirSync(target, { recursive: true })
  await copyTree(source, target, { ignore: [], clone: 'auto', misfits: 'refuse', links: 'verbatim', signal })
}

function movePaths(from: string, to: string, paths: readonly string[]): void {
  for (const path of paths) {
    if (lstatSync(join(from, path), { throwIfNoEntry: false }) === undefined) continue
    mkdirSync(dirname(join(to, path)), { recursive: true })
    renameSync(join(from, path), join(to, path))
  }
}

function takeSpare(key: string): Spare | undefined {
  const known = spares.get(key) ?? []
  spares.delete(key)
  if (known.length > 1) spares.set(key, known.slice(0, -1))
  return known.at(-1)
}

async function keepSpare(
  key: string,
  { root, paths, stamps }: { readonly root: string; readonly paths: readonly string[]; readonly stamps: Stamps },
): Promise<void> {
  const directory = temporaryDirectory(parentOfCopies(root))
  try {
    if (!(await isRestored(root, paths, stamps))) return await deleteOrWarn(directory)
    movePaths(root, directory, paths)
  } catch {
    // Whatever the reason, such as another file system, the next workspace gets a new copy.
    return deleteOrWarn(directory)
  }
  const known = spares.get(key) ?? []
  spares.delete(key)
  spares.set(key, [...known, { directory, stamps }])
  deleteAtExit()
  await deleteOldest()
}

async function deleteOldest(): Promise<void> {
  const all = [...spares].flatMap(([key, known]) => known.map((spare) => ({ key, spare })))
  for (const { key, spare } of all.slice(0, -mostSpares)) {
    const others = (spares.get(key) ?? []).filter((one) => one !== spare)
    if (others.length === 0) spares.delete(key)
    else spares.set(key, others)
    await deleteOrWarn(spare.directory)
  }
}

let deletesAtExit = false

function deleteAtExit(): void {
  if (deletesAtExit) return
  deletesAtExit = true
  process.once('exit', () => {
    for (const { directory } of [...spares.values()].flat()) rmSync(directory, { recursive: true, force: true })
  })
}

/** Deletes what was added, and returns whether all the rest is unchanged. */
async function isRestored(root: string, paths: readonly string[], stamps: Stamps): Promise<boolean> {
  const found = await stampsOf(root, paths)
  for (const [path, stamp] of stamps) if (found.get(path) !== stamp) return false
  for (const path of found.keys())
    if (!stamps.has(path)) rmSync(systemPath(join(root, path)), { recursive: true, force: true })
  return true
}

async function stampsOf(root: string, paths: readonly string[]): Promise<Stamps> {
  const stamps = new Map<string, string>()
  for (const path of paths) {
    const top = join(root, path)
    if (lstatSync(top, { throwIfNoEntry: false }) === undefined) continue
    // A link on the way means that it is not the copy.
    stamps.set(path, realpathSync(top) === join(realpathSync(root), path) ? stampOf(top) : 'elsewhere')
    const listing = { under: path, ignore: [], maxEntries, anyNames: true, signal: undefined }
    for await (const entry of listTree(root, listing)) stamps.set(entry.path, stampOf(join(root, entry.path)))
  }
  return stamps
}

/** No program can set the change time of a file. The contents of a directory have their own stamps. */
function stampOf(place: string): string {
  const stats = lstatSync(systemPath(place), { bigint: true })
  const { ino, mode, size, mtimeNs, ctimeNs } = stats
  return [ino, mode, ...(stats.isDirectory() ? [] : [size, mtimeNs, ctimeNs])].join(' ')
}
