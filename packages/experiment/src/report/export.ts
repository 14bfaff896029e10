import { optionInvalid, printed } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { csvCell } from '../result/trial-texts.js'
import { checkRows, type ExportRow, itemRow, judgmentRows, phaseRows, runRow, toolRows } from './export-rows.js'

/** The tables of an export: one row for each run, trial, judgment, check, tool call or phase. */
export type ExportTable = 'runs' | 'items' | 'judgments' | 'checks' | 'tools' | 'phases'

/**
 * The rows of a table over any number of runs, one run in memory at a time. Every row has every column of its table, in
 * the same order, first `run_id, experiment, variant, session, item_id, repetition`; unknown values are `null`.
 *
 * @throws `option-invalid` immediately, for an unknown table
 *
 * @example
 * import { exportRows, toCsv } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * for await (const line of toCsv(exportRows([aResult()], 'judgments'))) process.stdout.write(line)
 */
export function exportRows(
  results: AsyncIterable<ExperimentResult> | readonly ExperimentResult[],
  table: ExportTable,
): AsyncIterable<ExportRow> {
  const rows = Object.hasOwn(tables, table) ? tables[table] : undefined
  if (rows !== undefined) return rowsOf(results, rows)
  const known = Object.keys(tables).join(', ')
  optionInvalid('table', `exportRows: there is no table ${printed(table)} (known: ${known}).`)
}

type RowsOfRun = (run: ExperimentResult) => Iterable<ExportRow>

const tables: { readonly [table in ExportTable]: RowsOfRun } = {
  runs: (run) => [runRow(run)],
  items: ofItems((run, item) => [itemRow(run, item)]),
  judgments: ofItems(judgmentRows),
  checks: ofItems(checkRows),
  tools: ofItems(toolRows),
  phases: ofItems(phaseRows),
}

function ofItems(rows: (run: ExperimentResult, item: ItemResult) => readonly ExportRow[]): RowsOfRun {
  return function* rowsOfItems(run) {
    for (const item of run.items) yield* rows(run, item)
  }
}

async function* rowsOf(
  results: AsyncIterable<ExperimentResult> | readonly ExperimentResult[],
  rows: RowsOfRun,
): AsyncGenerator<ExportRow, void> {
  for await (const run of results) yield* rows(run)
}

/**
 * Rows as CSV (RFC 4180, lines end in CRLF): the columns of the first row as a header, then one line for each row.
 * Objects and arrays are JSON; a string that a spreadsheet would take for a formula gets an apostrophe in front. Without
 * rows there is no output.
 *
 * @example
 * import { exportRows, toCsv } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * for await (const line of toCsv(exportRows([aResult()], 'items'))) process.stdout.write(line)
 */
export async function* toCsv(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  let columns: readonly string[] | undefined
  for await (const row of rows) {
    if (columns === undefined) {
      columns = Object.keys(row)
      yield `${columns.map(csvCell).join(',')}\r\n`
    }
    yield `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`
  }
}

/**
 * Rows as JSON lines: an object a line, its keys in the order of the columns.
 *
 * @example
 * import { exportRows, toJsonl } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * for await (const line of toJsonl(exportRows([aResult()], 'checks'))) process.stdout.write(line)
 */
export async function* toJsonl(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
