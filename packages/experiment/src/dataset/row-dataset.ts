import { basename, dirname, extname, resolve } from 'node:path'
import { printed } from '@jurist/core'
import type { Spot } from './check-fields.js'
import { noMetadata } from './check-fields.js'
import { type Columns, columnReader, type Role } from './columns.js'
import type { ColumnMap } from './dataset.js'
import type { Opening } from './directory-dataset.js'
import { itemHash } from './hash.js'
import type { DatasetEntry } from './item.js'
import { rowId } from './item-id.js'
import { collectProblems, type Report } from './problem.js'
import type { DatasetSource, ItemReading } from './read-dataset.js'
import { csvRows, jsonLines, jsonList } from './row-decoders.js'
import type { RowFile, RowReading } from './row-file.js'
import { readRowItem } from './row-item.js'
import { type RowEntry, readRowEntry } from './row-values.js'
import type { Extent } from './split-records.js'

/** Opens the file of one format. */
export interface RowFormat {
  open(path: string): Promise<RowFile>
  readonly emptyIsAbsent: boolean
}

const lines: RowFormat = { open: jsonLines, emptyIsAbsent: false }

/** The formats of row files by the end of their names. */
export const rowFormats: { readonly [extension: string]: RowFormat } = {
  '.jsonl': lines,
  '.ndjson': lines,
  '.csv': { open: csvRows, emptyIsAbsent: true },
  '.json': { open: jsonList, emptyIsAbsent: false },
}

/** Reads a file of rows once, to know its entries and where they stand; its items are read again on demand. */
export async function openRows(
  path: string,
  format: RowFormat,
  columns: ColumnMap,
  signal: AbortSignal | undefined,
): Promise<Opening> {
  const file = await format.open(path)
  const { problems, report } = collectProblems()
  const columnsOf = columnReader(columns, format.emptyIsAbsent)
  const survey = await surveyRows(file, { file: basename(path), report, columnsOf, columns, signal })
  return { source: rowSource(resolve(path), file, survey, columnsOf), problems }
}

type ColumnsOf = (keys: readonly string[]) => Columns

interface SurveyOptions {
  readonly file: string
  readonly report: Report
  readonly columnsOf: ColumnsOf
  readonly columns: ColumnMap
  readonly signal: AbortSignal | undefined
}

/** What the first reading of a file found: an entry, a place and a number for each row. */
interface Survey {
  readonly entries: readonly DatasetEntry[]
  readonly extents: readonly Extent[]
  readonly numbers: readonly number[]
}

async function surveyRows(rows: RowFile, { file, report, columnsOf, columns, signal }: SurveyOptions): Promise<Survey> {
  const found: RowEntry[] = []
  const extents: Extent[] = []
  const numbers: number[] = []
  const missing = new Set(Object.keys(columns) as Role[])
  for await (const batch of rows.scan(signal)) {
    for (const { number, offset, length, reading } of batch) {
      const prefix = rows.place(number)
      const spot: Spot = { file, item: null, prefix, report }
      if (!reading.ok) {
        report({ file, item: null, field: prefix || null, problem: reading.problem, remedy: reading.remedy })
        continue
      }
      const assigned = columnsOf(Object.keys(reading.values))
      for (const role of missing) if (assigned.keys[role] !== undefined) missing.delete(role)
      found.push(readRowEntry(reading.values, assigned, spot))
      extents.push({ offset, length })
      numbers.push(number)
    }
  }
  if (found.length > 0) for (const role of missing) reportMissingColumn(role, columns, file, report)
  const width = String(numbers.at(-1) ?? 0).length
  const entries = found.map((entry, position) => entryOf(entry, numbers[position] ?? 0, width))
  reportRepeatedIds(entries, (position) => rows.place(numbers[position] ?? 0), file, report)
  return { entries: Object.freeze(entries), extents, numbers }
}

function entryOf({ id, bucket, taskType, status }: RowEntry, number: number, width: number): DatasetEntry {
  const name = id ?? rowId(number, width)
  return Object.freeze({ id: name, slug: name, path: null, bucket, taskType, status, metadata: noMetadata })
}

function reportMissingColumn(role: Role, columns: ColumnMap, file: string, report: Report): void {
  const problem = `no row has ${printed(columns[role])}, which columns.${role} names.`
  report({ file, item: null, field: null, problem, remedy: 'Name a column of the file.' })
}

function reportRepeatedIds(
  entries: readonly DatasetEntry[],
  placeOf: (position: number) => string,
  file: string,
  report: Report,
): void {
  const first = new Map<string, number>()
  for (const [position, { id }] of entries.entries()) {
    const earlier = first.get(id)
    if (earlier === undefined) {
      first.set(id, position)
      continue
    }
    const problem = `the id ${printed(id)} is used already (${placeOf(earlier)}).`
    report({ file, item: id, field: placeOf(position), problem, remedy: 'Give each row its own id.' })
  }
}

function rowSource(path: string, rows: RowFile, survey: Survey, columnsOf: ColumnsOf): DatasetSource {
  const { entries, extents, numbers } = survey
  const file = basename(path)
  const readingOf = (position: number, reading: RowReading): ItemReading => {
    const entry = entries[position]
    if (entry === undefined) throw new RangeError(`There is no row ${position}.`)
    return itemReading(entry, reading, { file, prefix: rows.place(numbers[position] ?? 0), columnsOf })
  }
  return {
    name: basename(path, extname(path)),
    version: rows.hash().slice(0, 12),
    description: '',
    metadata: noMetadata,
    directory: null,
    entries,
    path: file,
    file,
    problems: [],
    files: { directory: dirname(path), path: file },
    async *read(wanted) {
      const isWanted = (position: number): boolean => {
        const entry = entries[position]
        return entry !== undefined && wanted(entry)
      }
      for await (const { position, reading } of rows.read(extents, isWanted)) yield readingOf(position, reading)
    },
    readAt: async (position) => readingOf(position, await rows.readAt(extents[position] ?? { offset: 0, length: 0 })),
  }
}

interface ReadingPlace {
  readonly file: string
  readonly prefix: string
  readonly columnsOf: ColumnsOf
}

const noContents = { before: null, reference: null }

function itemReading(entry: DatasetEntry, reading: RowReading, { file, prefix, columnsOf }: ReadingPlace): ItemReading {
  const { problems, report } = collectProblems()
  if (!reading.ok) {
    report({ file, item: entry.id, field: prefix, problem: reading.problem, remedy: reading.remedy })
    return { entry, item: null, problems, hash: () => '' }
  }
  const columns = columnsOf(Object.keys(reading.values))
  const item = readRowItem(reading.values, columns, entry, { file, item: entry.id, prefix, report })
  return { entry, item, problems, hash: () => (item === null ? '' : itemHash(item, noContents)) }
}
