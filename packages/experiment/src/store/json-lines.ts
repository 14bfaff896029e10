import { isAscii } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'
import { parseOrUndefined } from '@jurist/kit/json'
import { openRegularFile, tooLarge } from '@jurist/kit/regular-file'
import type { LinePlace } from '../result/trial-figures.js'
import { ifThere } from './disk.js'

/** A file of JSON, one value a line. */
export interface JsonLines<Value> {
  readonly values: readonly Value[]
  /** How many whole lines there are, those that were left out included. */
  readonly lines: number
  /** Bytes up to the end of the last whole line. */
  readonly wholeBytes: number
  /** Bytes up to the end of the line `lastLine` of the reading; absent when there is no more after it. */
  readonly lastBytes?: number
  /** Whether there is more after it: a process died while it wrote the last line. */
  readonly torn: boolean
}

const chunkBytes = 128 * 1024
/** Longer lines are not accepted as records. */
const mostLineBytes = 256 * 1024 * 1024
const lineFeed = 0x0a

/** How the values of a file of JSON lines are read. */
export interface LineReading<Value> {
  /** Called with each value, the number of its line (from 1) and its place. Returns the value to keep; `undefined` skips it. */
  accept(value: unknown, lineNumber: number, place: LinePlace): Value | undefined
  /** Called with the number of each damaged line before the last one. Such lines are skipped. */
  damaged(lineNumber: number): void
  /** The number of the line whose end is reported as `lastBytes`. */
  readonly lastLine?: number
  /** Called with the bytes of whole lines, in order. The buffer is reused after the call. */
  passed?(bytes: Buffer): void
}

/**
 * Reads a file of JSON lines piece by piece, of any length. A last line that is cut off or damaged is left out.
 *
 * @returns `undefined` when there is no such file
 * @throws what `openRegularFile` throws, and an error with the code `EFBIG` for a line above 256 MB
 */
export async function readJsonLines<Value>(
  path: string,
  reading: LineReading<Value>,
): Promise<JsonLines<Value> | undefined> {
  const handle = await ifThere(openRegularFile(path))
  if (handle === undefined) return undefined
  try {
    const lines = lineCollector(reading)
    for await (const part of wholeLines(handle, reading.passed)) lines.add(part)
    return lines.end((await handle.stat()).size)
  } finally {
    await handle.close()
  }
}

function lineCollector<Value>({ accept, damaged, lastLine }: LineReading<Value>) {
  const values: Value[] = []
  let at = 0
  let number = 0
  let bad: { readonly line: number; readonly at: number } | undefined
  let lastBytes: number | undefined
  return {
    add({ text, bytes }: WholeLines): void {
      const end = at + bytes
      const isAsciiText = text.length + 1 === bytes
      for (const line of text.split('\n')) {
        if (bad !== undefined) damaged(bad.line)
        bad = undefined
        if (number === lastLine) lastBytes = at
        number += 1
        const length = isAsciiText ? line.length : Buffer.byteLength(line)
        const value = parseOrUndefined(line)
        if (value === undefined) bad = { line: number, at }
        else {
          const kept = accept(value, number, { offset: at, length })
          if (kept !== undefined) values.push(kept)
        }
        at += length + 1
      }
      // Bytes that are not UTF-8 make a line longer than it is in the file.
      at = end
    },
    end(size: number): JsonLines<Value> {
      const wholeBytes = bad?.at ?? at
      const whole = { values, lines: bad === undefined ? number : number - 1, wholeBytes, torn: wholeBytes < size }
      return lastBytes === undefined ? whole : { ...whole, lastBytes }
    },
  }
}

/** Some lines: their text without the last line feed, and how many bytes they take with it. */
interface WholeLines {
  readonly text: string
  readonly bytes: number
}

function wholeLinesOf(bytes: Buffer): WholeLines {
  return { text: textOf(bytes.subarray(0, -1)), bytes: bytes.length }
}

async function* wholeLines(handle: FileHandle, passed?: (bytes: Buffer) => void): AsyncGenerator<WholeLines> {
  const window = lineWindow(passed)
  const readOn = () => {
    const { buffer, offset } = window.room()
    return handle.read(buffer, offset, buffer.length - offset)
  }
  let reading = readOn()
  try {
    for (;;) {
      const { bytesRead } = await reading
      if (bytesRead === 0) return
      const lines = window.filled(bytesRead)
      // Reads the next bytes while the present lines are parsed.
      reading = readOn()
      if (lines !== undefined) yield lines
    }
  } finally {
    await reading.catch(() => undefined)
  }
}

/** One buffer for a whole file: a new one for each piece would stay in memory until a collection of the whole heap. */
function lineWindow(passed?: (bytes: Buffer) => void) {
  let buffer: Buffer = Buffer.allocUnsafe(chunkBytes)
  let [start, end] = [0, 0]
  return {
    /** The space for the next bytes. */
    room(): { readonly buffer: Buffer; readonly offset: number } {
      buffer.copyWithin(0, start, end)
      end -= start
      start = 0
      if (end >= mostLineBytes) throw tooLarge('a line', mostLineBytes)
      if (end === buffer.length) buffer = Buffer.concat([buffer], 2 * end)
      return { buffer, offset: end }
    },
    /** The complete lines in the buffer, if there are any. */
    filled(bytesRead: number): WholeLines | undefined {
      end += bytesRead
      start = buffer.subarray(0, end).lastIndexOf(lineFeed) + 1
      if (start === 0) return undefined
      passed?.(buffer.subarray(0, start))
      return wholeLinesOf(buffer.subarray(0, start))
    },
  }
}

/** Most records are ASCII, which is copied instead of decoded. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}
