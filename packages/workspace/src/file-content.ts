import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { JuristError, type ReadOptions } from '@jurist/core'
import { checkOptions, maxReadBytes, option } from '@jurist/core/internal'
import { checkedPath, locate, locateEntry } from './containment.js'
import { systemCode } from './errors.js'

/**
 * Reads the bytes of a regular file inside `root`. A FIFO or a device never blocks, and nothing above the cap is kept
 * in memory.
 */
export function readFileBytes(root: string, path: string, cap: number, options?: ReadOptions): Uint8Array {
  const { maxBytes = Math.min(cap, maxReadBytes) } = checkOptions('read', options, { maxBytes: option.integer(0) })
  return reading(root, path, (file, { size }) => {
    if (size > maxBytes) throw tooLarge(path, maxBytes)
    // One byte more than the size reveals a file that grows while it is read.
    const bytes = readUpTo(file, size + 1)
    if (bytes.length > maxBytes) throw tooLarge(path, maxBytes)
    return bytes
  })
}

/** Reads the first bytes of a regular file inside `root`, however large it is, or the whole file if it is shorter. */
export function readFileStart(root: string, path: string, length: number): Uint8Array {
  return reading(root, path, (file) => readUpTo(file, length))
}

function reading<Result>(root: string, path: string, read: (file: number, stats: Stats) => Result): Result {
  const located = locate(root, checkedPath(path, 'file'))
  if (!located.exists) throw missing(path)
  const file = open(located.absolute, path)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw notAFile(path)
    return read(file, stats)
  } finally {
    closeSync(file)
  }
}

/** Decodes strict UTF-8 without NUL, and removes a leading byte order mark. */
export function strictText(bytes: Uint8Array, path: string): string {
  try {
    if (!bytes.includes(0)) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // The error below covers both reasons.
  }
  throw new JuristError('not-text', `${path} is not UTF-8 text. Read it with readBytes.`, { path })
}

/**
 * Writes a file through a new file next to it. A link at the end of the path is replaced, not followed. The executable
 * bit is kept.
 */
export function writeWholeFile(root: string, path: string, content: string | Uint8Array): void {
  const target = locateEntry(root, checkedPath(path, 'file'))
  const fresh = join(dirname(target), `.jurist-${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(fresh, content, { flag: 'wx' })
    keepExecutable(target, fresh)
    renameSync(fresh, target)
  } catch (thrown) {
    if (existsSync(fresh)) rmSync(fresh)
    if (!['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY'].includes(systemCode(thrown) ?? '')) throw thrown
    throw new JuristError(
      'not-a-file',
      `${basename(path)} cannot be written: ${path} or something above it is in the way.`,
      {
        path,
      },
    )
  }
}

function keepExecutable(target: string, fresh: string): void {
  const replaced = lstatSync(target, { throwIfNoEntry: false })
  const bits = replaced?.isFile() ? replaced.mode & 0o111 : 0
  if (bits !== 0) chmodSync(fresh, (lstatSync(fresh).mode & 0o777) | bits)
}

/** Removes a file, a link itself, or a tree. */
export function removeEntry(root: string, path: string): void {
  const normal = checkedPath(path, 'entry')
  if (normal === '.') throw new JuristError('path-invalid', 'The root cannot be removed.', { path })
  try {
    rmSync(locateEntry(root, normal), { recursive: true, force: true, maxRetries: 3 })
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOTDIR') throw thrown
  }
}

function open(absolute: string, path: string): number {
  try {
    return openSync(absolute, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (thrown) {
    // A socket cannot be opened; a link here was created after the path was resolved.
    if (['ENXIO', 'ELOOP', 'ENODEV', 'EISDIR', 'EOPNOTSUPP'].includes(systemCode(thrown) ?? '')) throw notAFile(path)
    if (systemCode(thrown) === 'ENOENT') throw missing(path)
    throw thrown
  }
}

function readUpTo(file: number, maxLength: number): Uint8Array {
  const buffer = Buffer.allocUnsafe(maxLength)
  let length = 0
  while (length < buffer.length) {
    const count = readSync(file, buffer, length, buffer.length - length, null)
    if (count === 0) break
    length += count
  }
  return new Uint8Array(buffer.buffer, buffer.byteOffset, length).slice()
}

const missing = (path: string) => new JuristError('not-found', `${path} does not exist in the workspace.`, { path })
const notAFile = (path: string) => new JuristError('not-a-file', `${path} is not a regular file.`, { path })
const tooLarge = (path: string, maxBytes: number) =>
  new JuristError('too-large', `${path} is larger than the limit of ${maxBytes} bytes.`, { path, maxBytes })
