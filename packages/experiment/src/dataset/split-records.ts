import { isAscii } from 'node:buffer'
import { utf8 } from './json-file.js'

/** Where a record stands in a file. */
export interface Extent {
  /** In bytes. */
  readonly offset: number
  readonly length: number
}

/** One record of a file: a line, or a row of CSV with line breaks in quotes; without the line break at its end. */
export interface FileRecord extends Extent {
  /** The line it begins at, from 1. */
  readonly number: number
}

/** Records that arrived together. */
export interface RecordBatch {
  readonly records: readonly FileRecord[]
  /** The text of one of them; `undefined` when it is not UTF-8. To be asked before the next batch is. */
  textOf(record: FileRecord): string | undefined
}

/** Finds the ends of records; keeps its state from one part of the file to the next. */
interface EndFinder {
  /** The index of the line break that ends the record around `from`, or -1 when it is not in `bytes`. */
  next(bytes: Buffer, from: number): number
  /** Line breaks inside the record that ended last. */
  readonly innerBreaks: number
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c

/**
 * The records of a file, in batches, blank lines left out.
 *
 * @param parts the bytes of the file, in order
 * @param form `'lines'`, or `'csv'`, where quotes may enclose line breaks (RFC 4180)
 */
export async function* splitRecords(
  parts: AsyncIterable<Buffer>,
  form: 'lines' | 'csv',
): AsyncGenerator<RecordBatch, void> {
  const ends = form === 'lines' ? lineEnds() : csvEnds()
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  let number = 1
  for await (const part of withoutByteOrderMark(parts)) {
    if (part.marked) offset = byteOrderMark.length
    const scanned = rest.length
    const bytes = scanned === 0 ? part.bytes : Buffer.concat([rest, part.bytes])
    const records: FileRecord[] = []
    let start = 0
    for (let end = ends.next(bytes, scanned); end !== -1; end = ends.next(bytes, start)) {
      const length = lengthOf(bytes, start, end)
      if (length > 0) records.push({ offset: offset + start, length, number })
      number += 1 + ends.innerBreaks
      start = end + 1
    }
    if (records.length > 0) yield batchOf(records, bytes.subarray(0, start), offset)
    rest = bytes.subarray(start)
    offset += start
  }
  const length = lengthOf(rest, 0, rest.length)
  if (length > 0) yield batchOf([{ offset, length, number }], rest, offset)
}

/** The length of a record without a carriage return at its end; 0 when it is blank. */
function lengthOf(bytes: Buffer, start: number, end: number): number {
  const last = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end
  for (let at = start; at < last; at++) if (bytes[at] !== 0x20 && bytes[at] !== 0x09) return last - start
  return 0
}

/** Most files are ASCII: all records of a batch are decoded at once, which is copying. */
function batchOf(records: readonly FileRecord[], bytes: Buffer, begin: number): RecordBatch {
  const whole = isAscii(bytes) ? bytes.toString('latin1') : undefined
  return {
    records,
    textOf({ offset, length }) {
      const start = offset - begin
      return whole === undefined ? utf8(bytes.subarray(start, start + length)) : whole.slice(start, start + length)
    },
  }
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

async function* withoutByteOrderMark(parts: AsyncIterable<Buffer>): AsyncGenerator<{ bytes: Buffer; marked: boolean }> {
  let first = true
  for await (const bytes of parts) {
    const marked = first && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)
    yield { bytes: marked ? bytes.subarray(byteOrderMark.length) : bytes, marked }
    first = false
  }
}

function lineEnds(): EndFinder {
  return { innerBreaks: 0, next: (bytes, from) => bytes.indexOf(lineFeed, from) }
}

type CsvState = 'field-start' | 'plain' | 'quoted' | 'quote-in-quoted'

function csvEnds(): EndFinder {
  let state: CsvState = 'field-start'
  let breaks = 0
  const finder = {
    innerBreaks: 0,
    next(bytes: Buffer, from: number): number {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at]
        if (byte === lineFeed && state !== 'quoted') {
          state = 'field-start'
          finder.innerBreaks = breaks
          breaks = 0
          return at
        }
        if (byte === lineFeed) breaks += 1
        state = nextState(state, byte)
      }
      return -1
    },
  }
  return finder
}

function nextState(state: CsvState, byte: number | undefined): CsvState {
  switch (state) {
    case 'field-start':
      return byte === quote ? 'quoted' : byte === comma ? 'field-start' : 'plain'
    case 'plain':
      return byte === comma ? 'field-start' : 'plain'
    case 'quoted':
      return byte === quote ? 'quote-in-quoted' : 'quoted'
    case 'quote-in-quoted':
      return byte === quote ? 'quoted' : byte === comma ? 'field-start' : 'plain'
    default:
      return state satisfies never
  }
}
