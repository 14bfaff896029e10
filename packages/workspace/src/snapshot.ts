import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import type { Workspace, WorkspaceEntry } from '@jurist/core'
import { checkOptions, maxEntries, option } from '@jurist/core/internal'
import ignore from 'ignore'
import { namedPath, pathOf } from './byte-path.js'
import { locate, locateEntry } from './containment.js'
import { listTree } from './list-tree.js'
import { systemPath } from './system-path.js'
import { directoryOf } from './workspace-settings.js'

/** The state of a file, or of a link (its target; empty if the workspace does not know it). */
export type SnapshotEntry =
  | { readonly sizeBytes: number; readonly sha256: string; readonly executable: boolean }
  | { readonly link: string }
/**
 * The files and links of a workspace at one time, by path. Directories and special files are left out. A byte of a name
 * that is not UTF-8 is written as `\x` and two digits.
 */
export interface Snapshot {
  readonly files: { readonly [path: string]: SnapshotEntry }
}
/** The differences between two snapshots: paths, ordered by code units. */
export interface Changes {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly modified: readonly string[]
}

/**
 * The patterns that snapshots and comparisons leave out by default, in gitignore syntax. Spread it to extend it.
 *
 * @example
 * import { defaultIgnore } from '@jurist/workspace'
 * import { matchesReference } from '@jurist/workspace/files'
 *
 * matchesReference({ ignore: [...defaultIgnore, 'dist/'] })
 */
export const defaultIgnore: readonly string[] = Object.freeze([
  '.git/',
  'node_modules/',
  '/target/',
  '/.gradle/',
  '__pycache__/',
  '.DS_Store',
])

const chunkBytes = 1_048_576

/**
 * Records the files of a workspace with size, hash and executable bit.
 *
 * @param options `ignore` replaces `defaultIgnore`
 *
 * @example
 * import { changes, localWorkspace, snapshot } from '@jurist/workspace'
 *
 * const workspace = localWorkspace('project')
 * const before = await snapshot(workspace)
 * await workspace.run('npm run format')
 * const { modified } = changes(before, await snapshot(workspace))
 */
export async function snapshot(
  workspace: Workspace,
  options?: { readonly ignore?: readonly string[]; readonly signal?: AbortSignal },
): Promise<Snapshot> {
  const given = checkOptions('snapshot', options, { ignore: option.strings, signal: option.anything })
  const { ignore: left = defaultIgnore, signal } = given
  const ignored = ignore().add([...left])
  const root = directoryOf(workspace)
  const files: [string, SnapshotEntry][] = []
  const entries = root === undefined ? workspace.list({ signal }) : entriesOf(root, left, signal)
  for await (const { path, type, sizeBytes } of entries) {
    if (type === 'directory' || type === 'other' || ignored.ignores(path)) continue
    if (type === 'symlink')
      files.push([namedPath(path), Object.freeze({ link: root === undefined ? '' : linkAt(root, path) })])
    else
      files.push([
        namedPath(path),
        Object.freeze(root === undefined ? await fileOf(workspace, path, sizeBytes) : fileAt(root, path)),
      ])
  }
  return Object.freeze({ files: Object.freeze(Object.fromEntries(files)) })
}

/**
 * Compares two snapshots and returns which files were added, changed and removed.
 *
 * @example
 * import { changes, localWorkspace, snapshot } from '@jurist/workspace'
 *
 * const before = await snapshot(localWorkspace('before'))
 * const after = await snapshot(localWorkspace('after'))
 * changes(before, after) // { added: ['b.txt'], removed: [], modified: ['a.txt'] }
 */
export function changes(before: Snapshot, after: Snapshot): Changes {
  const has = ({ files }: Snapshot, path: string) => Object.hasOwn(files, path)
  const [old, now] = [Object.keys(before.files).sort(), Object.keys(after.files).sort()]
  return Object.freeze({
    added: Object.freeze(now.filter((path) => !has(before, path))),
    removed: Object.freeze(old.filter((path) => !has(after, path))),
    modified: Object.freeze(now.filter((path) => has(before, path) && !same(before.files[path], after.files[path]))),
  })
}

/** The part of a directory that is unchanged since a snapshot. */
interface Unchanged {
  /** Its files, links and directories, the latter with a `/` at the end. */
  readonly unchanged: ReadonlySet<string>
  /** Files, links, and directories of which nothing is left. */
  readonly removed: readonly string[]
}

/** Compares a directory with a snapshot. Only files of equal size are read. */
export async function unchangedSince(before: Snapshot, root: string, ignored: readonly string[]): Promise<Unchanged> {
  const isIgnored = ignore().add([...ignored])
  const present = new Map<string, WorkspaceEntry['type']>()
  const unchanged = new Set<string>()
  for await (const { path, type, sizeBytes } of entriesOf(root, ignored, undefined)) {
    present.set(path, type)
    const was = before.files[path]
    if (was === undefined) continue
    const isSame =
      type === 'symlink'
        ? same(was, { link: linkAt(root, path) })
        : type === 'file' && 'sizeBytes' in was && was.sizeBytes === sizeBytes && same(was, fileAt(root, path))
    if (isSame) unchanged.add(path)
  }
  const removed = new Set<string>()
  for (const path of Object.keys(before.files)) {
    const above = directoriesAbove(path)
    for (const directory of above) unchanged.add(`${directory}/`)
    const gone = present.get(path) === 'directory' ? path : [...above, path].find((one) => !present.has(one))
    if (gone !== undefined && !isIgnored.ignores(path)) removed.add(gone)
  }
  return { unchanged, removed: [...removed] }
}

/** The directories that contain a path, the outermost first. */
function directoriesAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

function same(a: SnapshotEntry | undefined, b: SnapshotEntry | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if ('link' in a || 'link' in b) return 'link' in a && 'link' in b && a.link === b.link
  return a.sizeBytes === b.sizeBytes && a.sha256 === b.sha256 && a.executable === b.executable
}

async function fileOf(workspace: Workspace, path: string, sizeBytes: number): Promise<SnapshotEntry> {
  const bytes = await workspace.readBytes(path, { maxBytes: sizeBytes })
  return { sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), executable: false }
}

function linkAt(root: string, path: string): string {
  return namedPath(pathOf(readlinkSync(systemPath(locateEntry(root, path)), 'buffer')))
}

/** Read in pieces: a file may be larger than the limit of one read. */
function fileAt(root: string, path: string): SnapshotEntry {
  const { absolute } = locate(root, path)
  const file = openSync(systemPath(absolute), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const hash = createHash('sha256')
    const { mode, size } = fstatSync(file)
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1))
    let sizeBytes = 0
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk)) {
      hash.update(chunk.subarray(0, count))
      sizeBytes += count
    }
    return { sizeBytes, sha256: hash.digest('hex'), executable: (mode & 0o111) !== 0 }
  } finally {
    closeSync(file)
  }
}

/** Excluded directories are not walked either: dependencies alone may have more entries than are listed. */
function entriesOf(
  root: string,
  left: readonly string[],
  signal: AbortSignal | undefined,
): AsyncIterable<WorkspaceEntry> {
  return listTree(root, { under: '.', ignore: left, maxEntries, anyNames: true, signal })
}
