import { basename, dirname, extname, resolve } from 'node:path'
import { printed } from '@jurist/core/internal'
import { bareName, type Columns, columnReader, columnUses, reportDoubtfulColumns, withoutCopies } from './columns.js'
import type { ColumnMap } from './dataset.js'
import { itemHash, sha256 } from './hash.js'
import { type DatasetEntry, rowId } from './item.js'
import { noMetadata } from './item-fields.js'
import { contentsOfFiles } from './item-files.js'
import { collectProblems, type Report } from './problem.js'
import type { DatasetSource, ItemReading, Opening } from './read-dataset.js'
import { type ReadRows, type Row, readCsv, readJsonArray, readJsonLines, rowFileBytes } from './row-file.js'
import { hasOwnInput, type RowEntry, readRowEntry, readRowItem } from './row-item.js'

export interface RowFormat {
  readonly read: ReadRows
  /** Whether an empty string means a missing value. */
  readonly emptyIsAbsent: boolean
}

const lines: RowFormat = { read: readJsonLines, emptyIsAbsent: false }

/** The formats of row files by the end of their names. */
export const rowFormats: { readonly [extension: string]: RowFormat } = {
  '.jsonl': lines,
  '.ndjson': lines,
  '.csv': { read: readCsv, emptyIsAbsent: true },
  '.json': { read: readJsonArray, emptyIsAbsent: false },
}

/** A row that has values, and its entry in the dataset. */
interface ReadableRow {
  readonly row: Row & { readonly ok: true }
  readonly columns: Columns
  readonly entry: DatasetEntry
}

/** Reads a file of rows into memory; items are made of them on demand. */
export async function openRows(path: string, { read, emptyIsAbsent }: RowFormat, columns: ColumnMap): Promise<Opening> {
  const file = basename(path)
  const { problems, report } = collectProblems()
  const bytes = await rowFileBytes(path)
  const found = bytes instanceof Uint8Array ? await read(bytes) : [bytes]
  for (const row of found)
    if (!row.ok) report({ file, item: null, field: row.place || null, problem: row.problem, remedy: row.remedy })
  const columnsOf = columnReader(columns, emptyIsAbsent)
  const uses = columnUses()
  const rows = found.flatMap((row) => {
    if (!row.ok) return []
    const keys = Object.keys(row.values)
    const assigned = columnsOf(row.values)
    uses.note(assigned, keys)
    const entry = readRowEntry(row.values, assigned, { file, item: null, prefix: row.place, report })
    return [{ row, columns: assigned, entry }]
  })
  reportMissingColumns(columns, rows, file, report)
  // How wide a default id is depends on the last row.
  const width = String(rows.at(-1)?.row.number ?? 0).length
  const named = rows.map((one) => ({ ...one, entry: entryOf(one.entry, one.row.number, width) }))
  reportRepeatedIds(named, file, report)
  const { rows: readable, copies } = withoutCopies(named, columns)
  reportDoubtfulColumns({ uses: uses.all(), named: columns, rows: readable, copies }, file, report)
  const version = bytes instanceof Uint8Array ? sha256(bytes).slice(0, 12) : ''
  const warnings = problems.filter(({ severity }) => severity === 'warning')
  const errors = problems.filter(({ severity }) => severity !== 'warning')
  return { source: rowSource(resolve(path), readable, version, { columns: uses.all(), warnings }), problems: errors }
}

function entryOf({ id, bucket, taskType, status }: RowEntry, number: number, width: number): DatasetEntry {
  const name = id ?? rowId(number, width)
  return Object.freeze({ id: name, slug: name, path: null, bucket, taskType, status, metadata: noMetadata })
}

function reportMissingColumns(
  named: ColumnMap,
  rows: readonly { readonly columns: Columns }[],
  file: string,
  report: Report,
): void {
  if (rows.length === 0) return
  const assigned = [...new Set(rows.map(({ columns }) => columns))]
  const seen = new Set(assigned.flatMap(({ keys, rest }) => [...Object.values(keys), ...rest].map(bareName)))
  for (const [role, names] of Object.entries(named) as [string, string | readonly string[]][])
    for (const name of [names].flat()) {
      if (seen.has(bareName(name))) continue
      const problem = `no row has ${printed(name)}, which columns.${role} names.`
      report({ file, item: null, field: null, problem, remedy: 'Name a column of the file.' })
    }
}

function reportRepeatedIds(rows: readonly ReadableRow[], file: string, report: Report): void {
  const first = new Map<string, Row>()
  for (const {
    row,
    entry: { id },
  } of rows) {
    const earlier = first.get(id)
    if (earlier === undefined) {
      first.set(id, row)
      continue
    }
    const problem = `the id ${printed(id)} is used already (${earlier.place}).`
    report({ file, item: id, field: row.place, problem, remedy: 'Give each row its own id.' })
  }
}

function rowSource(
  path: string,
  rows: readonly ReadableRow[],
  version: string,
  { columns, warnings }: Pick<DatasetSource, 'columns'> & { readonly warnings: DatasetSource['problems'] },
): DatasetSource {
  const file = basename(path)
  return {
    name: basename(path, extname(path)),
    version,
    description: '',
    metadata: noMetadata,
    directory: null,
    entries: Object.freeze(rows.map(({ entry }) => entry)),
    columns,
    path: file,
    file,
    problems: warnings,
    files: { directory: dirname(path), path: file },
    readAt: (position) => itemReading(rows[position] as ReadableRow, file),
  }
}

function itemReading({ row, columns, entry }: ReadableRow, file: string): ItemReading {
  const { problems, report } = collectProblems()
  const item = readRowItem(row.values, columns, entry, { file, item: entry.id, prefix: row.place, report })
  const hash = (): string => {
    if (item === null) return ''
    const input = hasOwnInput(row.values, columns) ? item.input : null
    const before = item.before?.type === 'files' ? contentsOfFiles(item.before) : null
    return itemHash(item, { before, reference: null, input })
  }
  return { entry, item, problems, hash }
}
