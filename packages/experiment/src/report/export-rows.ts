import { type Json, JuristError, type Usage } from '@jurist/core'
import { printed } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { tokensOf } from '../result/summarize.js'
import { outcomeOf, reasonOf } from '../result/trial-outcome.js'
import { csvCell } from './escape.js'
import { checkRows, judgmentRows, phaseRows, toolRows } from './export-judgments.js'

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

/** A run as a row of the table `runs`. */
function runRow(run: ExperimentResult): ExportRow {
  return {
    ...place(run, null),
    kind: run.kind,
    status: run.status,
    stop_reason: run.stopReason,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    duration_ms: run.durationMs,
    dataset: run.dataset.name,
    dataset_version: run.dataset.version,
    dataset_hash: run.dataset.hash,
    git_commit: run.code.gitCommit,
    git_dirty: run.code.dirty,
    jury: run.jury?.name ?? null,
    jury_fingerprint: run.jury?.fingerprint ?? null,
    rejudged_from: run.lineage?.rejudgedFrom ?? null,
    root_run: run.lineage?.root ?? null,
    ...countColumns(run),
    pass_rate: run.passRate,
    pass_rate_low: run.passRateInterval?.low ?? null,
    pass_rate_high: run.passRateInterval?.high ?? null,
    pass_rate_of_all: run.passRateOfAll,
    flaky_items: run.flakyItems.length,
    ...tokenColumns(run.usage),
    judge_tokens: tokensOf(run.judgeUsage),
    cost_usd: run.costUsd,
    judge_cost_usd: run.judgeCostUsd,
    unpriced_trials: run.unpricedTrials,
    agent_ms: run.agentMs?.total ?? null,
  }
}

function countColumns({ counts }: ExperimentResult): ExportRow {
  return {
    planned: counts.planned,
    run: counts.run,
    not_run: counts.notRun,
    passes: counts.passes,
    fails: counts.fails,
    undecided: counts.undecided,
    infrastructure_failures: counts.infrastructureFailures,
  }
}

/**
 * A trial as a row of the table `items`. One literal, though its parts stand in other rows too: an object of so many keys
 * that is put together by spreading takes many times as long to make.
 */
function itemRow(run: ExperimentResult, item: ItemResult): ExportRow {
  const { failure, usage, efficiency } = item
  return {
    run_id: run.id,
    experiment: run.experimentName,
    variant: run.variant,
    session: run.session,
    item_id: item.itemId,
    repetition: item.repetition,
    item_slug: item.itemSlug,
    item_hash: item.itemHash,
    bucket: item.bucket,
    task_type: item.taskType,
    tags: item.tags,
    agent: item.agent,
    judged: item.judged,
    passed: item.passed,
    outcome: outcomeOf(item),
    reason: reasonOf(item),
    failure_origin: failure?.origin ?? null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    infrastructure: failure?.infrastructure ?? null,
    attempts: item.attempts.length + 1,
    started_at: item.startedAt,
    ended_at: item.endedAt,
    duration_ms: item.durationMs,
    setup_ms: item.setupMs,
    agent_ms: item.agentMs,
    jury_ms: item.juryMs,
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    reasoning_tokens: usage?.reasoningTokens ?? null,
    cache_read_tokens: usage?.cacheReadTokens ?? null,
    cache_write_tokens: usage?.cacheWriteTokens ?? null,
    tokens: tokensOf(usage),
    judge_tokens: tokensOf(item.judgeUsage),
    cost_usd: item.costUsd,
    judge_cost_usd: item.judgeCostUsd,
    scores: item.scores,
    'efficiency.toolErrors': efficiency?.['toolErrors'] ?? null,
    'efficiency.toolUse': efficiency?.['toolUse'] ?? null,
    'efficiency.cost': efficiency?.['cost'] ?? null,
    'efficiency.recovery': efficiency?.['recovery'] ?? null,
    'efficiency.composite': efficiency?.['composite'] ?? null,
    workspace_path: item.workspacePath,
    journal_path: item.journalPath,
  }
}

/** One row of a table: every column of it, always in the same order; `null` where nothing is known. */
export type ExportRow = Readonly<Record<string, Json>>

/** The columns that every table begins with. */
export function place(run: ExperimentResult, item: ItemResult | null): ExportRow {
  return {
    run_id: run.id,
    experiment: run.experimentName,
    variant: run.variant,
    session: run.session,
    item_id: item?.itemId ?? null,
    repetition: item?.repetition ?? null,
  }
}

/** Tokens as columns. */
export function tokenColumns(usage: Usage | null): ExportRow {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens } = usage ?? {}
  return {
    input_tokens: inputTokens ?? null,
    output_tokens: outputTokens ?? null,
    reasoning_tokens: reasoningTokens ?? null,
    cache_read_tokens: cacheReadTokens ?? null,
    cache_write_tokens: cacheWriteTokens ?? null,
    tokens: tokensOf(usage),
  }
}

/**
 * Rows as CSV (RFC 4180, lines end in CRLF): the columns of the first row as a header, then a line a row. Objects and lists
 * are JSON; a text that a spreadsheet would take for a formula gets an apostrophe in front. No rows: no text.
 *
 * @example
 * for await (const line of toCsv(exportRows([result], 'items'))) process.stdout.write(line)
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
 * for await (const line of toJsonl(exportRows([result], 'checks'))) process.stdout.write(line)
 */
export async function* toJsonl(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
