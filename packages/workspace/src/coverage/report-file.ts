import { constants, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { JuristError, type Workspace } from '@jurist/core'
import { directoryOf, locate } from '../containment.js'
import { piecesOf } from './read-coverage.js'

/** The largest report that is read: 200 MiB. */
const maxReportBytes = 209_715_200
const chunkBytes = 262_144

/**
 * The content of a report, piece by piece. A file of a directory is never held as a whole; any other workspace gives it
 * at once.
 *
 * @throws `too-large` above 200 MiB, `aborted` when the signal fires, and what reading a workspace throws
 */
export async function* chunksOf(
  workspace: Workspace,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array | string> {
  const place = placeOf(workspace, path)
  if (place === undefined) yield* piecesOf(await workspace.readBytes(path, { maxBytes: maxReportBytes }))
  else yield* readInChunks(place, path, signal)
}

/** When a file of a directory was last written, in milliseconds since 1970; `undefined` where no directory tells. */
export function writtenAtMs(workspace: Workspace, path: string): number | undefined {
  const place = placeOf(workspace, path)
  return place === undefined ? undefined : statSync(place, { throwIfNoEntry: false })?.mtimeMs
}

function placeOf(workspace: Workspace, path: string): string | undefined {
  const directory = directoryOf(workspace)
  if (directory === undefined) return undefined
  const { absolute, exists } = locate(directory, path)
  return exists ? absolute : undefined
}

async function* readInChunks(place: string, path: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  // A FIFO would block; a link here was put in place after the path was resolved.
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    await refuseUnlessReadable(file, path)
    const buffer = Buffer.allocUnsafe(chunkBytes)
    let total = 0
    for (;;) {
      if (signal?.aborted)
        throw new JuristError('aborted', 'Reading the report was stopped.', { reason: String(signal.reason) })
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, null)
      if (bytesRead === 0) return
      total += bytesRead
      if (total > maxReportBytes) tooLarge(path)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function refuseUnlessReadable(file: FileHandle, path: string): Promise<void> {
  const stats = await file.stat()
  if (!stats.isFile()) throw new JuristError('not-a-file', `${path} is no regular file.`, { path })
  if (stats.size > maxReportBytes) tooLarge(path)
}

function tooLarge(path: string): never {
  throw new JuristError('too-large', `${path} has more than the ${maxReportBytes} bytes that are read of a report.`, {
    path,
    maxBytes: maxReportBytes,
  })
}
