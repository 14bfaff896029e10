import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { JuristError, type Workspace } from '@jurist/core'
import { maxReadBytes } from '@jurist/core/internal'
import ignore from 'ignore'
import { namedPath, pathOf } from '../../byte-path.js'
import { isInside } from '../../containment.js'
import { realPath, systemPath } from '../../system-path.js'
import { directoryOf } from '../../workspace-settings.js'
import { byCodeUnits } from '../difference.js'

export type Found =
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly executable?: boolean }
  /** Nothing, or a broken link. */
  | { readonly kind: 'missing' }
  /** A link that leaves the tree. */
  | { readonly kind: 'escape' }
  /** `what` follows "is" in messages: `a directory`. */
  | { readonly kind: 'other'; readonly what: string }
  | { readonly kind: 'unreadable' }

/** The paths of a tree, sorted by code units. */
export interface Listing {
  /** Everything but directories. The value is whether it is known to be a regular file (and not a link to one). */
  readonly files: ReadonlyMap<string, boolean>
  /** The directories that could not be entered. */
  readonly unreadable: readonly string[]
  /** Whether there are more entries than may be listed. */
  readonly truncated: boolean
}

/** Which paths count. `directory` returns whether anything below can count. */
export interface Selection {
  file(path: string): boolean
  directory(path: string): boolean
}

/** A file that is read piece by piece into the caller's memory. */
interface OpenFile extends Disposable {
  /** Fills the buffer from `offset`. Returns the number of bytes, or -1 if they cannot be read. */
  fill(buffer: Uint8Array, offset: number): number
}

/** A tree of files for comparisons: a directory read directly, or any workspace. Nothing in it is trusted. */
export interface FileTree {
  readonly root: string | null
  list(selection: Selection, signal: AbortSignal): Promise<Listing>
  look(path: string): Promise<Found>
  /**
   * Reads the first `length` bytes (or all there are) of a path that is a file according to `look`; `undefined` if it
   * cannot be read.
   */
  read(path: string, length: number): Promise<Uint8Array | undefined>
  /** Opens a path that is a file according to `look`; `undefined` if it cannot be read. */
  open(path: string): Promise<OpenFile | undefined>
}

/** How many entries of one tree are listed. */
export const maxTreeEntries = 200_000

/**
 * Creates a selection: all paths but the ignored ones, restricted to `only` if it is given. Both arrays are in
 * gitignore syntax, and case counts.
 */
export function selectionOf(options: {
  readonly ignore: readonly string[]
  readonly only?: readonly string[]
}): Selection {
  const ignored = matcher(options.ignore)
  const only = options.only && ignore({ ignorecase: false, allowRelativePaths: true }).add(options.only)
  return {
    file: (path) => !ignored.ignores(path) && (only?.ignores(path) ?? true),
    directory: (path) => !ignored.ignores(`${path}/`),
  }
}

/**
 * Matches paths, by the last segment alone if all patterns are plain names (like those of `defaultIgnore`): a walk has
 * already tested the directories above before it reaches a path, and calling the library takes longer than comparing a
 * small file.
 */
function matcher(patterns: readonly string[]): { ignores(path: string): boolean } {
  const library = ignore({ ignorecase: false, allowRelativePaths: true }).add(patterns)
  const names = patterns.map((pattern) => /^\/?([\w.-]+)\/?$/.exec(pattern)?.[1])
  if (!names.every((name) => name !== undefined)) return library
  const plain = new Set(names)
  return { ignores: (path) => plain.has(lastSegment(path)) && library.ignores(path) }
}

function lastSegment(path: string): string {
  const end = path.endsWith('/') ? path.length - 1 : path.length
  return path.slice(path.lastIndexOf('/', end - 1) + 1, end)
}

const turnMs = 50

/**
 * Creates a pause to be awaited between steps of synchronous work: it lets the event loop turn every 50 ms. The pause
 * rejects with the reason of the signal when that has fired.
 */
export function pacer(signal: AbortSignal): { readonly due: () => boolean; readonly pause: () => Promise<void> } {
  let since = performance.now()
  return {
    due: () => performance.now() - since > turnMs,
    async pause() {
      signal.throwIfAborted()
      await setImmediate()
      signal.throwIfAborted()
      since = performance.now()
    },
  }
}

/**
 * Opens a directory as a tree, read directly: links never lead out of it, special files never block.
 *
 * @throws `not-found` when there is no such directory
 */
export function directoryTree(directory: string): FileTree {
  const root = realDirectory(directory)
  const real = (path: string): string | Found => placeOf(root, path)
  return {
    root,
    list: (selection, signal) => listDirectory(root, selection, signal),
    async look(path) {
      const place = real(path)
      return typeof place === 'string' ? foundAt(place) : place
    },
    async read(path, length) {
      using file = openAt(real(path))
      const bytes = Buffer.allocUnsafe(length)
      const filled = file?.fill(bytes, 0) ?? -1
      return filled < 0 ? undefined : bytes.subarray(0, filled)
    },
    open: async (path) => openAt(real(path)),
  }
}

/** Opens a path for reading without waiting, whatever is there. */
const readWithoutWaiting: number = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

function realDirectory(directory: string): string {
  try {
    const root = realPath(directory)
    if (statSync(root).isDirectory()) return root
  } catch {
    // Reported below, like something that is not a directory.
  }
  throw new JuristError('not-found', `The directory ${JSON.stringify(directory)} does not exist.`, { path: directory })
}

const nowhere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])

/** Finds the target of a path: a place inside the root, or another result. */
function placeOf(root: string, path: string): string | Found {
  try {
    const place = realPath(`${root}/${path}`)
    return isInside(root, place) ? place : { kind: 'escape' }
  } catch (thrown) {
    if (!nowhere.has(codeOf(thrown))) return { kind: 'unreadable' }
    return { kind: staysInside(root, path) ? 'missing' : 'escape' }
  }
}

/** Whether the deepest existing directory above a missing path is in the root: a link may leave the root above it. */
function staysInside(root: string, path: string): boolean {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    try {
      return isInside(root, realPath(`${root}/${above}`))
    } catch {
      // It is missing too, so the one above it is tried.
    }
  }
  return true
}

function codeOf(thrown: unknown): string {
  return String((thrown as { readonly code?: unknown }).code)
}

function foundAt(place: string): Found {
  try {
    const stats = statSync(systemPath(place))
    if (!stats.isFile()) return { kind: 'other', what: kindOf(stats) }
    return { kind: 'file', sizeBytes: stats.size, executable: (stats.mode & 0o111) !== 0 }
  } catch (thrown) {
    return { kind: nowhere.has(codeOf(thrown)) ? 'missing' : 'unreadable' }
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isFIFO()) return 'a FIFO'
  return stats.isSocket() ? 'a socket' : 'a device'
}

function openAt(place: string | Found): OpenFile | undefined {
  if (typeof place !== 'string') return undefined
  const descriptor = openRegular(place)
  if (descriptor === undefined) return undefined
  return {
    fill: (buffer, offset) => fillFrom(descriptor, buffer, offset),
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

function openRegular(place: string): number | undefined {
  try {
    const descriptor = openSync(systemPath(place), readWithoutWaiting)
    if (fstatSync(descriptor).isFile()) return descriptor
    closeSync(descriptor)
  } catch {
    // It is gone or unreadable, which the caller reports.
  }
  return undefined
}

function fillFrom(descriptor: number, buffer: Uint8Array, offset: number): number {
  let filled = 0
  try {
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = readSync(descriptor, buffer, filled, buffer.length - filled, offset + filled)
    return filled
  } catch {
    return -1
  }
}

async function listDirectory(root: string, selection: Selection, signal: AbortSignal): Promise<Listing> {
  const { due, pause } = pacer(signal)
  const regular = new Set<string>()
  const paths: string[] = []
  const listing = (truncated: boolean) => ({ files: sorted(paths, regular), unreadable, truncated })
  const waiting = ['']
  const unreadable: string[] = []
  let entries = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    for (const entry of entriesOf(`${root}/${directory}`, () => unreadable.push(namedPath(directory)))) {
      const path = `${directory}${pathOf(entry.name)}`
      if (entry.isDirectory() ? !selection.directory(path) : !selection.file(path)) continue
      if (++entries > maxTreeEntries) return listing(true)
      if (entry.isDirectory()) waiting.push(`${path}/`)
      else {
        paths.push(path)
        if (entry.isFile()) regular.add(path)
      }
      if (entries % entriesBetweenPauses === 0 && due()) await pause()
    }
    if (due()) await pause()
  }
  return listing(false)
}

const entriesBetweenPauses = 64

function entriesOf(path: string, failed: () => void): readonly Dirent<Buffer>[] {
  try {
    return readdirSync(systemPath(path), { withFileTypes: true, encoding: 'buffer' })
  } catch {
    failed()
    return []
  }
}

function sorted(paths: string[], regular: ReadonlySet<string>): ReadonlyMap<string, boolean> {
  return new Map(paths.sort().map((path) => [path, regular.has(path)]))
}

const bufferBytes = 256 * 1024

/**
 * Returns a quick test of two directories: whether the regular files at a path that a walk has just listed are small
 * and equal byte for byte. `false` proves nothing: the file may be large, changed, or no longer there.
 */
export function equalFiles(referenceRoot: string, actualRoot: string): (path: string) => boolean {
  const expected = Buffer.allocUnsafe(bufferBytes)
  const found = Buffer.allocUnsafe(bufferBytes)
  return (path) => {
    const length = readInto(expected, `${referenceRoot}/${path}`)
    if (length < 0 || length === bufferBytes) return false
    // Compared without the copies that subarrays would create.
    return readInto(found, `${actualRoot}/${path}`) === length && expected.compare(found, 0, length, 0, length) === 0
  }
}

/** Reads a file into the buffer and returns the number of bytes; -1 if it cannot be read. */
function readInto(buffer: Buffer, place: string): number {
  let descriptor: number
  try {
    descriptor = openSync(systemPath(place), readWithoutWaiting | constants.O_NOFOLLOW)
  } catch {
    return -1
  }
  try {
    return readSync(descriptor, buffer, 0, bufferBytes, 0)
  } catch {
    return -1
  } finally {
    closeSync(descriptor)
  }
}

/** Opens a workspace as a tree of files: through its directory if it has one, otherwise through its methods. */
export function workspaceTree(workspace: Workspace): FileTree {
  const root = directoryOf(workspace)
  return root === undefined ? answeringTree(workspace) : directoryTree(root)
}

function answeringTree(workspace: Workspace): FileTree {
  const sizes = new Map<string, number>()
  const bytesOf = (path: string) => {
    const maxBytes = Math.max(sizes.get(path) ?? maxReadBytes, maxReadBytes)
    return whenThere(() => workspace.readBytes(path, { maxBytes }))
  }
  return {
    root: null,
    list: (selection, signal) => listWorkspace(workspace, selection, signal, sizes),
    look: (path) => inspectFile(workspace, path, sizes.get(path)),
    read: async (path, length) => (await bytesOf(path))?.subarray(0, length),
    async open(path) {
      const bytes = await bytesOf(path)
      return bytes && heldFile(bytes)
    },
  }
}

/** A workspace returns whole files, so the pieces are taken from memory. */
function heldFile(bytes: Uint8Array): OpenFile {
  return {
    fill(buffer, offset) {
      const piece = bytes.subarray(offset, offset + buffer.length)
      buffer.set(piece)
      return piece.length
    },
    [Symbol.dispose]() {},
  }
}

async function listWorkspace(
  workspace: Workspace,
  selection: Selection,
  signal: AbortSignal,
  sizes: Map<string, number>,
): Promise<Listing> {
  const files = new Map<string, boolean>()
  const dropped: string[] = []
  let entries = 0
  try {
    for await (const { path, type, sizeBytes } of workspace.list({ signal })) {
      if (dropped.some((directory) => path.startsWith(directory))) continue
      if (type === 'directory' ? !selection.directory(path) : !selection.file(path)) {
        if (type === 'directory') dropped.push(`${path}/`)
        continue
      }
      if (++entries > maxTreeEntries) return { files: inOrder(files), unreadable: [], truncated: true }
      if (type !== 'directory') files.set(path, type === 'file')
      if (type === 'file') sizes.set(path, sizeBytes)
    }
  } catch (thrown) {
    // A workspace may have its own limit. The number of files from an agent must not break the judge.
    if (JuristError.is(thrown, 'limit-exceeded')) return { files: inOrder(files), unreadable: [], truncated: true }
    throw thrown
  }
  return { files: inOrder(files), unreadable: [], truncated: false }
}

function inOrder(files: ReadonlyMap<string, boolean>): ReadonlyMap<string, boolean> {
  return new Map([...files].sort(([one], [other]) => byCodeUnits(one, other)))
}

async function inspectFile(workspace: Workspace, path: string, listedBytes: number | undefined): Promise<Found> {
  try {
    if (!(await workspace.exists(path))) return { kind: 'missing' }
    if (!(await workspace.isFile(path))) return { kind: 'other', what: 'not a regular file' }
    return { kind: 'file', sizeBytes: listedBytes ?? (await workspace.readBytes(path)).length }
  } catch (thrown) {
    if (JuristError.is(thrown, 'path-escape')) return { kind: 'escape' }
    if (JuristError.is(thrown, 'not-found')) return { kind: 'missing' }
    return { kind: 'unreadable' }
  }
}

async function whenThere<Value>(run: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await run()
  } catch (thrown) {
    if (thrown instanceof JuristError) return undefined
    throw thrown
  }
}
