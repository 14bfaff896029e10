import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { inside } from './inside.js'

/** Larger files are told by their size. */
const maxFileBytes = 512 * 1024

/** One side of a changed file. */
export type FileSide =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary' | 'too-large'; readonly bytes: number }

/** Reads one side: a file below `directory`, never through a link. */
export async function fileSide(directory: string | null, path: string): Promise<FileSide> {
  const file = directory === null ? undefined : await inside([directory], directory, path)
  if (file === undefined) return { kind: 'absent' }
  // Opened without following a link: what was looked at may have been replaced since.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!found.isFile()) return { kind: 'absent' }
    if (found.size > maxFileBytes) return { kind: 'too-large', bytes: found.size }
    return sideOf(await handle.readFile())
  } finally {
    await handle.close()
  }
}

function sideOf(bytes: Buffer): FileSide {
  if (bytes.includes(0)) return { kind: 'binary', bytes: bytes.length }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { kind: 'binary', bytes: bytes.length }
  }
}
