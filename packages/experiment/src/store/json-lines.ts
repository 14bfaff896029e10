import { isAscii } from 'node:buffer'
import { type FileHandle, open } from 'node:fs/promises'
import { isMissing } from './disk-failure.js'

/** A file of JSON, one value a line. */
export interface JsonLines<Value> {
  readonly values: readonly Value[]
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number
  /** Whether there is more after it: a process died while it wrote the last line. */
  readonly torn: boolean
}

const chunkBytes = 128 * 1024
const lineFeed = 0x0a

/**
 * Reads a file of JSON lines piece by piece, however long it is. A last line that is cut off or damaged is left out.
 *
 * @param accept given each value and the number of its line; gives what is kept of it
 * @param damaged told the number of a damaged line before the last one
 * @returns `undefined` when there is no such file
 */
export async function readJsonLines<Value>(
  path: string,
  accept: (value: unknown, lineNumber: number) => Value,
  damaged: (lineNumber: number) => never,
): Promise<JsonLines<Value> | undefined> {
  const handle = await openToRead(path)
  if (handle === undefined) return undefined
  try {
    const values: Value[] = []
    let at = 0
    let bad: { readonly line: number; readonly at: number } | undefined
    for await (const { text, bytes } of wholeLines(handle)) {
      const lines = text.split('\n')
      for (const [index, line] of lines.entries()) {
        if (bad !== undefined) damaged(bad.line)
        const value = parsed(line)
        if (value !== undefined) values.push(accept(value, values.length + 1))
        else bad = { line: values.length + 1, at: at + bytesOf(lines.slice(0, index)) }
      }
      at += bytes
    }
    const { size } = await handle.stat()
    const wholeBytes = bad?.at ?? at
    return { values, wholeBytes, torn: wholeBytes < size }
  } finally {
    await handle.close()
  }
}

async function openToRead(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

/** Texts of whole lines, without the last line feed, and how many bytes they take with it. */
async function* wholeLines(handle: FileHandle): AsyncGenerator<{ readonly text: string; readonly bytes: number }> {
  // One buffer for the whole file: a new one for each chunk would stand about until a collection of the whole heap.
  let buffer: Buffer = Buffer.allocUnsafe(chunkBytes)
  let held = 0
  let reading = handle.read(buffer, 0, buffer.length)
  try {
    for (;;) {
      const { bytesRead } = await reading
      if (bytesRead === 0) return
      const filled = held + bytesRead
      const end = buffer.subarray(0, filled).lastIndexOf(lineFeed)
      const text = textOf(buffer.subarray(0, Math.max(end, 0)))
      buffer.copyWithin(0, end + 1, filled)
      held = filled - end - 1
      if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * held)
      // The disk is read while the text is.
      reading = handle.read(buffer, held, buffer.length - held)
      if (end >= 0) yield { text, bytes: end + 1 }
    }
  } finally {
    await reading.catch(() => undefined)
  }
}

/** Most records are ASCII, which is copied instead of decoded. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}
