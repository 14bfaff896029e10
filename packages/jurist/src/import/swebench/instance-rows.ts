import type { Json, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import type { TraceDocument } from '../traces/trace-files.js'

/**
 * The rows of a file in each form that tools write parquet files as JSON in: a row a line, an array of rows, the `rows` of a
 * viewer of datasets, or an object of columns.
 *
 * @param report receives what of them is not whole
 */
export function instanceRows(
  documents: readonly TraceDocument[],
  report: (problem: string) => void,
): readonly TraceDocument[] {
  return documents.flatMap(({ value, place }): readonly TraceDocument[] => {
    if (Array.isArray(value)) return value.map((one: Json, at) => ({ value: one, place: `[${at}]` }))
    if (!isPlainObject(value) || place !== '') return [{ value, place }]
    if (Array.isArray(value['rows'])) return value['rows'].map((one, at) => viewerRow(one, `rows[${at}]`, report))
    const ids = value['instance_id']
    return typeof ids === 'object' && ids !== null ? columnRows(value, Object.keys(ids)) : [{ value, place }]
  })
}

/** A row of a viewer, which cuts what is long. */
function viewerRow(given: Json, place: string, report: (problem: string) => void): TraceDocument {
  if (!isPlainObject(given)) return { value: given, place }
  const { row = given, truncated_cells: cut } = given
  if (Array.isArray(cut) && cut.length > 0)
    report(`${place}: ${cut.join(', ')} ${cut.length === 1 ? 'is' : 'are'} cut. Get the whole row`)
  return { value: row as Json, place }
}

/** Columns by their names, each an array or an object of values by the numbers of the rows. */
function columnRows(columns: Readonly<Record<string, unknown>>, keys: readonly string[]): readonly TraceDocument[] {
  return keys.map((key) => {
    const cells = Object.entries(columns).flatMap(([name, column]) => {
      const isColumn = typeof column === 'object' && column !== null && Object.hasOwn(column, key)
      return isColumn ? [[name, Reflect.get(column, key)]] : []
    })
    return { value: Object.fromEntries(cells) as JsonObject, place: `row ${key}` }
  })
}
