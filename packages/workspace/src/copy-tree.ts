import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmdirSync,
  rmSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { JuristError } from '@jurist/core'
import ignore, { type Ignore } from 'ignore'
import { pathOf, shownPath } from './byte-path.js'
import { isInside } from './containment.js'
import { provisionFailed, systemCode } from './errors.js'
import { realPath, systemPath } from './system-path.js'

const smallBytes = 65_536

/** Filled and emptied within one synchronous call. */
const buffer: Buffer = Buffer.allocUnsafe(smallBytes + 1)

/**
 * The bits of a mode that are copied. Set-user-id and set-group-id, which give a program the rights of its owner or
 * group, are left out.
 */
const permissions = 0o1777

const pieceBytes = 1_048_576

/** `auto` shares storage if the file system can, `reflink` requires it, and `copy` writes every byte. */
export type CloneMode = 'auto' | 'reflink' | 'copy'

const copyFlags: { readonly [mode in CloneMode]: number } = {
  auto: constants.COPYFILE_FICLONE,
  reflink: constants.COPYFILE_FICLONE_FORCE,
  copy: 0,
}

/**
 * Copies a regular file with its permissions and modification time. A small one is read and written through one buffer,
 * which costs half the calls of the system's copy. Holes stay holes: a file of a few blocks may claim to be huge.
 *
 * @returns its size in bytes, also when that is more than `maxBytes` and nothing was copied; `undefined` when `source`
 * is not a regular file
 */
export function copyFile(
  from: string,
  to: string,
  { clone, maxBytes }: { readonly clone: CloneMode; readonly maxBytes: number },
): number | undefined {
  const [source, target] = [systemPath(from), systemPath(to)]
  const file = openSync(source, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    if (stats.size > maxBytes) return stats.size
    const whole = stats.size > smallBytes || clone === 'reflink'
    const length = whole ? buffer.length : readSync(file, buffer, 0, buffer.length, 0)
    // A larger file, including one that grew since its size was read.
    if (length < buffer.length) writeSmall(target, length, stats)
    else if (clone !== 'auto' || !hasHoles(stats)) copyWhole(source, target, copyFlags[clone], stats)
    else copyHoles(source, file, target, stats)
    return stats.size
  } finally {
    closeSync(file)
  }
}

const blockBytes = 512

const zeros: Buffer = Buffer.alloc(pieceBytes)

function hasHoles({ size, blocks }: Stats): boolean {
  return blocks * blockBytes < size
}

function copyWhole(source: string | Buffer, target: string | Buffer, flags: number, stats: Stats): void {
  const { mode, atime, mtime } = stats
  copyFileSync(source, target, flags | constants.COPYFILE_EXCL)
  if ((mode & ~permissions & 0o7777) !== 0) chmodSync(target, mode & permissions)
  utimesSync(target, atime, mtime)
}

/** Shared storage keeps the holes. Without it, the system's copy would fill them. */
function copyHoles(source: string | Buffer, from: number, target: string | Buffer, stats: Stats): void {
  try {
    copyWhole(source, target, copyFlags.reflink, stats)
  } catch {
    writeWithHoles(from, target, stats)
  }
}

function writeWithHoles(from: number, target: string | Buffer, stats: Stats): void {
  const to = openSync(target, 'wx', stats.mode & permissions)
  try {
    const piece = Buffer.allocUnsafe(pieceBytes)
    for (let at = 0; ; ) {
      const length = readSync(from, piece, 0, pieceBytes, at)
      if (length === 0) break
      const isHole = piece.compare(zeros, 0, length, 0, length) === 0
      for (let written = isHole ? length : 0; written < length; )
        written += writeSync(to, piece, written, length - written, at + written)
      at += length
    }
    ftruncateSync(to, stats.size)
    finish(to, stats)
  } finally {
    closeSync(to)
  }
}

function writeSmall(target: string | Buffer, length: number, stats: Stats): void {
  const to = openSync(target, 'wx', stats.mode & permissions)
  try {
    for (let written = 0; written < length; ) written += writeSync(to, buffer, written, length - written)
    finish(to, stats)
  } finally {
    closeSync(to)
  }
}

function finish(file: number, { mode, atime, mtime }: Stats): void {
  // Restores what the umask of the process removed.
  if ((fstatSync(file).mode & permissions) !== (mode & permissions)) fchmodSync(file, mode & permissions)
  futimesSync(file, atime, mtime)
}

/**
 * `inside`: only links that stay inside are copied. `all`: every link is copied, and one that leads back into the
 * directory through the outside leads into the copy. `verbatim`: every link is copied as it is written.
 */
type LinkRule = 'inside' | 'all' | 'verbatim'

function copyLink({ from, to, links, misfit }: Copying, path: string): void {
  const target = readLink(from, path)
  const link = (goal: string) => symlinkSync(systemPath(goal), systemPath(`${to}/${path}`))
  const lands = resolve(from, dirname(path), target)
  const climbs = isAbsolute(target) || climbsOut(path, target)
  if (links === 'verbatim') {
    link(target)
  } else if (links === 'all') {
    link(climbs ? sameGoal(from, path, lands, isAbsolute(target)) : target)
  } else if (climbs || leavesThroughLinks(from, path)) {
    const shown = shownPath(path)
    const problem = `${shown} is a link that leaves the directory: ${shownPath(relative(from, lands))}.`
    misfit(new JuristError('path-escape', problem, { path: shown }))
  } else link(target)
}

function readLink(from: string, path: string): string {
  return pathOf(readlinkSync(systemPath(`${from}/${path}`), 'buffer'))
}

/** Whether a relative target goes above the root on its way, even if it comes back: in a copy, it leads elsewhere. */
function climbsOut(path: string, target: string): boolean {
  let depth = path.split('/').length - 1
  for (const name of target.split('/')) {
    if (name === '..') depth -= 1
    else if (name !== '' && name !== '.') depth += 1
    if (depth < 0) return true
  }
  return false
}

/** The target for the copy: inside the copy for what is in the directory, otherwise the original target. */
function sameGoal(from: string, path: string, lands: string, wasAbsolute: boolean): string {
  const goal = [lands, realPathOf(lands)].find((place) => place !== undefined && isInside(from, place))
  if (goal !== undefined) return relative(join(from, dirname(path)), goal) || '.'
  return wasAbsolute ? readLink(from, path) : lands
}

function realPathOf(place: string): string | undefined {
  try {
    return realPath(place)
  } catch {
    return undefined
  }
}

/** A link may also leave by way of another one. A broken link leads nowhere. */
function leavesThroughLinks(from: string, path: string): boolean {
  const real = realPathOf(join(from, path))
  return real !== undefined && !isInside(from, real)
}

const maxCopyEntries = 200_000
const maxCopyBytes = 4 * 1024 ** 3
const sliceMs = 25

export interface TreeCopyOptions {
  /** Patterns of what is left out, in `.gitignore` syntax. */
  readonly ignore: readonly string[]
  readonly clone: CloneMode
  /** If something cannot be copied, the copy fails, or a process warning reports that it was left out. */
  readonly misfits: 'refuse' | 'leave-out'
  readonly links: LinkRule
  readonly signal: AbortSignal | undefined
  /** Paths that are left out; with a `/` at the end, a directory is left out if none of its files are copied. */
  readonly leaveOut?: ReadonlySet<string>
  /** Whether the target has files already: what is copied replaces what is in its place. */
  readonly onto?: boolean
}

export interface TreeCopy {
  readonly files: number
  readonly bytes: number
}

interface Copying extends Omit<TreeCopyOptions, 'ignore' | 'misfits'> {
  readonly from: string
  readonly to: string
  readonly ignored: Ignore | undefined
  readonly misfit: (problem: JuristError) => void
  files: number
  bytes: number
  entries: number
  sliceEnd: number
}

/**
 * Copies the contents of a directory into another one, which is empty unless `onto` is set. Set-user-id and set-group-id bits are not
 * copied.
 *
 * @throws `path-escape`, `provision-failed`, `limit-exceeded` above 200,000 entries or 4 GiB, `aborted`
 */
export async function copyTree(from: string, to: string, options: TreeCopyOptions): Promise<TreeCopy> {
  const { ignore: left, misfits, ...rest } = options
  const leftOut: string[] = []
  const copying: Copying = {
    ...rest,
    from: resolve(from),
    to: resolve(to),
    ignored: left.length === 0 ? undefined : ignore().add([...left]),
    misfit: misfits === 'refuse' ? refuse : ({ message }) => leftOut.push(message),
    files: 0,
    bytes: 0,
    entries: 0,
    sliceEnd: 0,
  }
  await copyDirectory(copying, '')
  warnOf(leftOut)
  return { files: copying.files, bytes: copying.bytes }
}

/** Synchronous calls in slices are four times as fast as a promise for each file, and the event loop still turns. */
async function copyDirectory(copying: Copying, under: string): Promise<void> {
  const { from, ignored } = copying
  for (const entry of readdirSync(systemPath(`${from}/${under}`), { withFileTypes: true, encoding: 'buffer' })) {
    const name = pathOf(entry.name)
    const path = under === '' ? name : `${under}/${name}`
    if (ignored?.ignores(entry.isDirectory() ? `${path}/` : path) || copying.leaveOut?.has(path)) continue
    if (++copying.entries > maxCopyEntries) throw tooMuch('entries', maxCopyEntries)
    try {
      if (copying.onto) makeRoom(copying, path, entry.isDirectory())
      if (entry.isFile()) copyCounted(copying, path)
      else if (entry.isSymbolicLink()) copyLink(copying, path)
      else if (entry.isDirectory()) await copySubdirectory(copying, path)
      else copying.misfit(notCopied(copying, path, 'is neither a file, a directory nor a link'))
    } catch (thrown) {
      const problem = unreadable[systemCode(thrown) ?? '']
      if (problem === undefined) throw thrown
      copying.misfit(notCopied(copying, path, problem))
    }
    await breathe(copying)
  }
}

/** Such an entry must not stop the copying. */
const unreadable: { readonly [code: string]: string | undefined } = {
  EACCES: 'may not be read',
  EPERM: 'may not be read',
  ENAMETOOLONG: 'is too deep',
  ENOENT: 'went while it was copied',
}

async function copySubdirectory(copying: Copying, path: string): Promise<void> {
  const [source, target] = [systemPath(`${copying.from}/${path}`), systemPath(`${copying.to}/${path}`)]
  mkdirSync(target, { recursive: copying.onto })
  await copyDirectory(copying, path)
  if (copying.leaveOut?.has(`${path}/`) && readdirSync(target).length === 0) return rmdirSync(target)
  const { mode, atime, mtime } = lstatSync(source)
  chmodSync(target, mode & permissions)
  utimesSync(target, atime, mtime)
}

/** Two directories become one; anything else gives way, since a link in its place would lead elsewhere. */
function makeRoom({ to }: Copying, path: string, isDirectory: boolean): void {
  const target = systemPath(`${to}/${path}`)
  const found = lstatSync(target, { throwIfNoEntry: false })
  if (found !== undefined && !(isDirectory && found.isDirectory())) rmSync(target, { recursive: true })
}

function copyCounted(copying: Copying, path: string): void {
  const left = maxCopyBytes - copying.bytes
  const bytes = copyClosely(copying, path, left)
  if (bytes === undefined) {
    copying.misfit(notCopied(copying, path, 'is neither a file, a directory nor a link'))
    return
  }
  if (bytes > left) throw tooMuch('bytes', maxCopyBytes)
  copying.files += 1
  copying.bytes += bytes
}

function copyClosely({ from, to, clone }: Copying, path: string, maxBytes: number): number | undefined {
  try {
    return copyFile(`${from}/${path}`, `${to}/${path}`, { clone, maxBytes })
  } catch (thrown) {
    if (clone !== 'reflink' || unreadable[systemCode(thrown) ?? ''] !== undefined) throw thrown
    throw provisionFailed(shownPath(to), 'the file system cannot share storage; use clone "auto" or "copy"')
  }
}

function refuse(problem: JuristError): never {
  throw problem
}

/** One warning for each copy: an agent can leave thousands of such entries. */
function warnOf([first, ...others]: readonly string[]): void {
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` So were ${others.length} others.`
  process.emitWarning(`${first} It was left out.${more}`, 'JuristWarning')
}

function notCopied({ to }: Copying, path: string, problem: string): JuristError<'provision-failed'> {
  const shown = shownPath(path)
  return provisionFailed(shownPath(to), `${shown.length > 200 ? `…${shown.slice(-200)}` : shown} ${problem}`)
}

async function breathe(copying: Copying): Promise<void> {
  const now = performance.now()
  if (now < copying.sliceEnd) return
  if (copying.sliceEnd > 0) await setImmediate()
  copying.sliceEnd = performance.now() + sliceMs
  const { signal } = copying
  if (signal?.aborted) throw new JuristError('aborted', 'Copying was stopped.', { reason: String(signal.reason) })
}

function tooMuch(what: string, limit: number): JuristError<'limit-exceeded'> {
  return new JuristError(
    'limit-exceeded',
    `The directory has more than ${limit} ${what}; leave some out with "ignore".`,
    { what, limit },
  )
}
