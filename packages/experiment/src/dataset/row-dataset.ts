import { basename, dirname, extname, resolve } from 'node:path'
import { noMetadata } from './check-fields.js'
import { columnReader, reportDoubtfulColumns } from './columns.js'
import type { ColumnMap } from './dataset.js'
import type { Opening } from './directory-dataset.js'
import { itemHash } from './hash.js'
import type { DatasetEntry } from './item.js'
import { collectProblems } from './problem.js'
import type { DatasetSource, ItemReading } from './read-dataset.js'
import { csvRows, jsonLines, jsonList } from './row-decoders.js'
import type { RowFile, RowReading } from './row-file.js'
import { readRowItem } from './row-item.js'
import { type ColumnsOf, type Survey, surveyRows } from './row-survey.js'

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

function rowSource(path: string, rows: RowFile, survey: Survey, columnsOf: ColumnsOf): DatasetSource {
  const { entries, places, columns } = survey
  const file = basename(path)
  const { problems, report } = collectProblems()
  reportDoubtfulColumns(columns, file, report)
  const readingOf = (position: number, reading: RowReading): ItemReading => {
    const entry = entries[position]
    if (entry === undefined) throw new RangeError(`There is no row ${position}.`)
    return itemReading(entry, reading, { file, prefix: rows.place(places[position]?.number ?? 0), columnsOf })
  }
  return {
    name: basename(path, extname(path)),
    version: rows.hash().slice(0, 12),
    description: '',
    metadata: noMetadata,
    directory: null,
    entries,
    columns,
    path: file,
    file,
    problems,
    files: { directory: dirname(path), path: file },
    async *read(wanted) {
      const isWanted = (position: number): boolean => {
        const entry = entries[position]
        return entry !== undefined && wanted(entry)
      }
      for await (const found of rows.read(places, isWanted))
        yield found.map(({ position, reading }) => readingOf(position, reading))
    },
    readAt: async (position) => readingOf(position, await rows.readAt(places[position] ?? { offset: 0, length: 0 })),
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
