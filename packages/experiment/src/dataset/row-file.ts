import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { utf8 } from './json-file.js'
import { type DatasetProblem, refuseErrors } from './problem.js'
import { type Extent, type FileRecord, type RecordBatch, splitRecords } from './split-records.js'

/** The values of one row, or what is wrong with it. */
export type RowReading =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string; readonly remedy: string }

/** One row, and where it stands; its number counts from 1: the line it begins at, or its place in a list. */
export interface Row {
  readonly place: FileRecord
  readonly reading: RowReading
}

/** A row that was read again. */
interface PlacedReading {
  readonly position: number
  readonly reading: RowReading
}

/** A file of rows. `scan` comes first, once. */
export interface RowFile {
  /** `line 7`, or `[6]`: how problems call a row. */
  place(number: number): string
  /** Every row in order, in batches. */
  scan(signal: AbortSignal | undefined): AsyncIterable<readonly Row[]>
  /** SHA-256 (hex) over the file; known after `scan`. */
  hash(): string
  /** The wanted ones among rows that `scan` gave, in order, in batches. */
  read(extents: readonly Extent[], wanted: (position: number) => boolean): AsyncIterable<readonly PlacedReading[]>
  readAt(extent: Extent): Promise<RowReading>
}

/** Reads the text of one record. `undefined`: it is no row but the header. */
export type Decode = (text: string) => RowReading | undefined

const partBytes = 256 * 1024
/** The rows of a file up to this size are parsed once for the scan and the first reading. */
const keptBytes = 8 * 1024 * 1024
const notUtf8: RowReading = { ok: false, problem: 'is not UTF-8.', remedy: 'Save the file as UTF-8.' }

/** A file with a record a line (or of CSV): streamed, and rows are found again by their place. */
export async function recordFile(path: string, form: 'lines' | 'csv', decode: Decode): Promise<RowFile> {
  const { size, mtimeMs } = await stat(path)
  const checksum = createHash('sha256')
  let digest = ''
  const scanned = scannedReadings(size)
  const unchanged = async (): Promise<void> => {
    const now = await stat(path)
    if (now.size !== size || now.mtimeMs !== mtimeMs) refuseErrors(path, [changedProblem(basename(path))])
  }
  const readingOf = (text: string | undefined) => (text === undefined ? notUtf8 : decode(text))
  return {
    place: (number) => `line ${number}`,
    async *scan(signal) {
      const parts =
        size <= keptBytes ? atOnce(path, signal) : createReadStream(path, { highWaterMark: partBytes, signal })
      const batches = splitRecords(hashing(parts, checksum), form)
      for await (const { records, textOf } of batches) {
        const rows: Row[] = []
        for (const place of records) {
          const reading = readingOf(textOf(place))
          if (reading !== undefined) rows.push({ place, reading })
        }
        scanned.keep(rows)
        yield rows
      }
      digest = checksum.digest('hex')
    },
    hash: () => digest,
    async *read(extents, wanted) {
      await unchanged()
      const kept = scanned.take(extents.length)
      if (kept !== undefined) return yield* keptReadings(kept, wanted)
      const batches = splitRecords(createReadStream(path, { highWaterMark: partBytes }), form)
      yield* readAgain(batches, extents, (position, batch, place) =>
        wanted(position) ? readingOf(batch.textOf(place)) : undefined,
      )
    },
    async readAt({ offset, length }) {
      await unchanged()
      await using file = await open(path)
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
      return readingOf(utf8(buffer)) ?? notUtf8
    },
  }
}

/** What the scan of a small file read, for the first reading, which follows it as a rule. */
interface ScannedReadings {
  keep(rows: readonly Row[]): void
  /** All of them, the first time; `undefined` when they are not, or no more, `count` readings. */
  take(count: number): readonly RowReading[] | undefined
}

function scannedReadings(fileBytes: number): ScannedReadings {
  let kept: RowReading[] | undefined = fileBytes <= keptBytes ? [] : undefined
  return {
    keep(rows) {
      for (const { reading } of rows) if (reading.ok) kept?.push(reading)
    },
    take(count) {
      const taken = kept?.length === count ? kept : undefined
      kept = undefined
      return taken
    },
  }
}

/** A few at a time: what is made of them need not stand about all at once. */
const keptAtOnce = 256

function* keptReadings(
  kept: readonly RowReading[],
  wanted: (position: number) => boolean,
): Generator<readonly PlacedReading[], void> {
  for (let start = 0; start < kept.length; start += keptAtOnce) {
    const some = kept.slice(start, start + keptAtOnce)
    const placed = some.map((reading, index) => ({ position: start + index, reading }))
    yield placed.filter(({ position }) => wanted(position))
  }
}

async function* readAgain(
  batches: AsyncIterable<RecordBatch>,
  extents: readonly Extent[],
  readingAt: (position: number, batch: RecordBatch, place: FileRecord) => RowReading | undefined,
): AsyncGenerator<readonly PlacedReading[], void> {
  let position = 0
  for await (const batch of batches) {
    const found: PlacedReading[] = []
    for (const place of batch.records) {
      if (place.offset !== extents[position]?.offset) continue
      const reading = readingAt(position, batch, place)
      if (reading !== undefined) found.push({ position, reading })
      position += 1
    }
    yield found
  }
}

function changedProblem(file: string): DatasetProblem {
  const problem = 'has changed since it was opened.'
  return { file, item: null, field: null, problem, remedy: 'Open it again.', severity: 'error' }
}

/** A file that is kept in memory need not be streamed. */
async function* atOnce(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  yield await readFile(path, { signal })
}

async function* hashing(
  parts: AsyncIterable<Buffer>,
  hash: { update(bytes: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for await (const part of parts) {
    hash.update(part)
    yield part
  }
}
