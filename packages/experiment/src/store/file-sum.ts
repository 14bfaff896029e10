import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { onDisk } from './disk.js'
import type { StoredSum } from './run-head.js'

/** The sum of a file that grows. */
export interface FileSum {
  add(bytes: Buffer, lines: number): void
  now(): StoredSum
}

/** The sum of the first bytes of a file, and of what is added after them. */
export async function fileSum(
  path: string,
  { lines: linesBefore, wholeBytes }: { readonly lines: number; readonly wholeBytes: number },
): Promise<FileSum> {
  const hash = createHash('sha256')
  let bytes = wholeBytes
  let lines = linesBefore
  if (wholeBytes > 0)
    await onDisk('read', path, async () => {
      for await (const part of createReadStream(path, { end: wholeBytes - 1 })) hash.update(part)
    })
  return {
    add(part, added) {
      hash.update(part)
      bytes += part.length
      lines += added
    },
    now: () => ({ lines, bytes, sha256: hash.copy().digest('hex') }),
  }
}
