import { JuristError } from '@jurist/core'
import { printed } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { itemRow } from './item-row.js'
import { checkRows, judgmentRows } from './judgment-rows.js'
import { phaseRows, toolRows } from './phase-rows.js'
import type { ExportRow } from './row.js'
import { runRow } from './run-row.js'

/** The tables of an export: one row for each run, trial, judgment, check, tool call or phase. */
export type ExportTable = 'runs' | 'items' | 'judgments' | 'checks' | 'tools' | 'phases'

/**
 * The rows of a table over any number of runs, one run in memory at a time. Every row has every column of its table, in
 * the same order, first `run_id, experiment, variant, session, item_id, repetition`; what is not known is `null`.
 *
 * @throws `option-invalid` at once, for an unknown table
 *
 * @example
 * for await (const line of toCsv(exportRows([result], 'judgments'))) process.stdout.write(line)
 */
export function exportRows(
  results: AsyncIterable<ExperimentResult> | readonly ExperimentResult[],
  table: ExportTable,
): AsyncIterable<ExportRow> {
  const rows = Object.hasOwn(tables, table) ? tables[table] : undefined
  if (rows !== undefined) return rowsOf(results, rows)
  const known = Object.keys(tables).join(', ')
  throw new JuristError('option-invalid', `exportRows: there is no table ${printed(table)} (known: ${known}).`, {
    option: 'table',
  })
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
