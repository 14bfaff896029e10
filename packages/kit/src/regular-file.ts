import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/** Larger files are refused: 256 MB. */
const mostBytes = 256 * 1024 * 1024

/**
 * Opens a file without blocking: anything but a regular file (a FIFO, a device, a directory) is refused.
 *
 * @throws an error of the system, or one with the code `ENOTREG`
 */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const found = await handle.stat()
  if (found.isFile()) return handle
  await handle.close()
  throw refusal('ENOTREG', found.isDirectory() ? 'it is a directory' : 'it is not a regular file')
}

/** @throws the errors of `openRegularFile`, and one with the code `EFBIG` for a file above `limit` bytes */
export async function regularFileBytes(path: string, limit: number = mostBytes): Promise<Buffer> {
  const handle = await openRegularFile(path)
  try {
    const { size } = await handle.stat()
    if (size > limit) throw tooLarge('it', limit)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/** The text of a regular file in UTF-8. Throws as `regularFileBytes`. */
export async function regularFileText(path: string, limit?: number): Promise<string> {
  return (await regularFileBytes(path, limit)).toString('utf8')
}

export function tooLarge(what: string, limit: number): Error {
  return refusal('EFBIG', `${what} is larger than ${Math.floor(limit / 1024 / 1024)} MB`)
}

/** Whether the error means that a file exists but must not be read. */
export function isRefusedFile(thrown: unknown): thrown is Error {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  return code === 'ENOTREG' || code === 'EFBIG'
}

function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}

/**
 * Returns the absolute path of a file or directory below one of `roots`. A path that leads out through `..`, or through
 * any symbolic link below its root, is rejected. The roots themselves may be links, since the caller has named them.
 *
 * @returns `undefined` for a path that is rejected, does not exist, or is neither a file nor a directory
 */
export async function containedPath(roots: readonly string[], base: string, path: string): Promise<string | undefined> {
  if (path.includes('\0')) return undefined
  const wanted = resolve(base, path)
  const root = roots.map((one) => resolve(one)).find((one) => isBelow(one, wanted))
  if (root === undefined) return undefined
  let at = root
  for (const part of relative(root, wanted)
    .split(sep)
    .filter((one) => one !== '')) {
    at = join(at, part)
    const found = await lstat(at).catch(() => undefined)
    if (found === undefined || !(found.isDirectory() || found.isFile())) return undefined
  }
  return at
}

function isBelow(root: string, path: string): boolean {
  const between = relative(root, path)
  return between === '' || !(between === '..' || between.startsWith(`..${sep}`) || isAbsolute(between))
}
