import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

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
