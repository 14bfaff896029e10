import { printed } from '@jurist/core/internal'
import { noMetadata } from './check-fields.js'
import { type Columns, columnUses, type Role } from './columns.js'
import type { ColumnMap, ColumnUse } from './dataset.js'
import type { DatasetEntry } from './item.js'
import { rowId } from './item-id.js'
import type { Report, Spot } from './problem.js'
import type { RowFile } from './row-file.js'
import { type RowEntry, readRowEntry } from './row-values.js'
import type { FileRecord } from './split-records.js'

/** Assigns roles to the keys of a row. */
export type ColumnsOf = (keys: readonly string[]) => Columns

/** How a file is surveyed. */
export interface SurveyOptions {
  readonly file: string
  readonly report: Report
  readonly columnsOf: ColumnsOf
  readonly columns: ColumnMap
  readonly signal: AbortSignal | undefined
}

/** What the first reading of a file found: an entry and a place for each row. */
export interface Survey {
  readonly entries: readonly DatasetEntry[]
  readonly places: readonly FileRecord[]
  readonly columns: readonly ColumnUse[]
}

/** Reads every row once, for its entry, and reports every fault that can be seen without the items. */
export async function surveyRows(
  rows: RowFile,
  { file, report, columnsOf, columns, signal }: SurveyOptions,
): Promise<Survey> {
  /** An entry, or what is known of it until it has an id: how wide it is depends on the last row. */
  const found: (DatasetEntry | RowEntry)[] = []
  const places: FileRecord[] = []
  const missing = new Set(Object.keys(columns) as Role[])
  const uses = columnUses()
  for await (const batch of rows.scan(signal)) {
    for (const { place, reading } of batch) {
      const prefix = rows.place(place.number)
      const spot: Spot = { file, item: null, prefix, report }
      if (!reading.ok) {
        report({ file, item: null, field: prefix || null, problem: reading.problem, remedy: reading.remedy })
        continue
      }
      const keys = Object.keys(reading.values)
      const assigned = columnsOf(keys)
      uses.note(assigned, keys)
      for (const role of missing) if (assigned.keys[role] !== undefined) missing.delete(role)
      const read = readRowEntry(reading.values, assigned, spot)
      found.push(read.id === undefined ? read : entryOf(read, read.id))
      places.push(place)
    }
  }
  if (found.length > 0) for (const role of missing) reportMissingColumn(role, columns, file, report)
  const numberAt = (position: number) => places[position]?.number ?? 0
  const width = String(numberAt(places.length - 1)).length
  const entries = found.map((entry, position) =>
    'slug' in entry ? entry : entryOf(entry, rowId(numberAt(position), width)),
  )
  reportRepeatedIds(entries, (position) => rows.place(numberAt(position)), file, report)
  return { entries: Object.freeze(entries), places, columns: uses.all() }
}

function entryOf({ bucket, taskType, status }: RowEntry, id: string): DatasetEntry {
  return Object.freeze({ id, slug: id, path: null, bucket, taskType, status, metadata: noMetadata })
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
