import {
  closeSync,
  constants,
  type Dir,
  type Dirent,
  fstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { JuristError } from '@jurist/core'
import { namedPath, pathOf } from '../../byte-path.js'
import { isInside } from '../../containment.js'
import { realPath, systemPath } from '../../system-path.js'
import {
  type FileTree,
  type Found,
  type Listing,
  maxTreeEntries,
  type OpenFile,
  pacer,
  type Selection,
} from './file-tree.js'

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

/** A directory file of this size contains tens of thousands of names, and may contain millions. */
const manyNamesBytes = 1_048_576

/** Returns the entries of a directory: together if they are few, which takes half the time, otherwise one by one. */
function entriesOf(path: string, failed: () => void): Iterable<Dirent<Buffer>> {
  const directory = systemPath(path)
  try {
    if (statSync(directory).size > manyNamesBytes)
      return oneByOne(opendirSync(directory, { bufferSize: 256, encoding: 'buffer' as BufferEncoding }))
    return readdirSync(directory, { withFileTypes: true, encoding: 'buffer' })
  } catch {
    failed()
    return []
  }
}

/** Reading a directory of a million files ends after the first 200,000. */
function* oneByOne(open: Dir): Generator<Dirent<Buffer>> {
  try {
    // The types do not allow names that are bytes.
    for (let entry = open.readSync(); entry !== null; entry = open.readSync()) yield entry as unknown as Dirent<Buffer>
  } finally {
    open.closeSync()
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
