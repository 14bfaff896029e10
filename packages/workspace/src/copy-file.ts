import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  futimesSync,
  openSync,
  readSync,
  utimesSync,
  writeSync,
} from 'node:fs'

const smallBytes = 65_536
/** Filled and emptied within one synchronous call. */
const buffer: Buffer = Buffer.allocUnsafe(smallBytes + 1)
const permissions = 0o7777

/** `auto`: storage is shared where the file system can; `reflink`: it must be; `copy`: every byte is written. */
export type CloneMode = 'auto' | 'reflink' | 'copy'

const copyFlags: { readonly [mode in CloneMode]: number } = {
  auto: constants.COPYFILE_FICLONE,
  reflink: constants.COPYFILE_FICLONE_FORCE,
  copy: 0,
}

/**
 * Copies a regular file with its mode and modification time. A small one is read and written through one buffer, which
 * costs half the calls of the system's copy.
 *
 * @returns its size in bytes; `undefined` when `source` is no regular file
 */
export function copyFile(source: string, target: string, clone: CloneMode): number | undefined {
  const from = openSync(source, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const stats = fstatSync(from)
    if (!stats.isFile()) return undefined
    const whole = stats.size > smallBytes || clone === 'reflink'
    const length = whole ? buffer.length : readSync(from, buffer, 0, buffer.length, 0)
    // Larger, also when it grew since its size was asked for.
    if (length === buffer.length) {
      copyFileSync(source, target, copyFlags[clone] | constants.COPYFILE_EXCL)
      utimesSync(target, stats.atime, stats.mtime)
    } else writeSmall(target, length, stats)
    return stats.size
  } finally {
    closeSync(from)
  }
}

function writeSmall(
  target: string,
  length: number,
  { mode, atime, mtime }: { readonly mode: number; readonly atime: Date; readonly mtime: Date },
): void {
  const to = openSync(target, 'wx', mode & permissions)
  try {
    for (let written = 0; written < length; ) written += writeSync(to, buffer, written, length - written)
    // What the mask of the process took away.
    if ((fstatSync(to).mode & permissions) !== (mode & permissions)) fchmodSync(to, mode & permissions)
    futimesSync(to, atime, mtime)
  } finally {
    closeSync(to)
  }
}
