import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { pathOf, shownPath } from './byte-path.js'
import { isInside } from './containment.js'
import { realPath, systemPath } from './system-path.js'

const smallBytes = 65_536
/** Filled and emptied within one synchronous call. */
const buffer: Buffer = Buffer.allocUnsafe(smallBytes + 1)
/**
 * The bits of a mode that are copied. Set-user-id and set-group-id, which give a program the rights of its owner or
 * group, are left out.
 */
export const permissions = 0o1777
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
export type LinkRule = 'inside' | 'all' | 'verbatim'

interface LinkCopying {
  readonly from: string
  readonly to: string
  readonly links: LinkRule
  readonly misfit: (problem: JuristError) => void
}

export function copyLink({ from, to, links, misfit }: LinkCopying, path: string): void {
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
