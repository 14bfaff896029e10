import { type Check, flatten, type Json, type Judgment, normalize, type Phase, type Usage } from '@jurist/core'
import { optionInvalid, printed, type VerdictRow } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { tokensOf } from '../result/spending.js'
import { outcomeOf, reasonOf } from '../result/trial-outcome.js'
import { answerText, csvCell, expectedOutputOf, outputOf } from '../result/trial-texts.js'

/** One row of a table: every column of it, always in the same order; `null` where nothing is known. */
export type ExportRow = Readonly<Record<string, Json>>

type Known<Key extends string> = { readonly [key in Key]?: Json | undefined }

/** Fields as columns of the same names: `started_at` of `startedAt`. */
function columns<Key extends string>(value: Known<Key>, ...keys: readonly Key[]): ExportRow {
  return Object.fromEntries(
    keys.map((key) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value[key] ?? null]),
  )
}

/** The columns that every table begins with. */
function place(run: ExperimentResult, item: ItemResult | null): ExportRow {
  return {
    run_id: run.id,
    experiment: run.experimentName,
    variant: run.variant,
    session: run.session,
    item_id: item?.itemId ?? null,
    repetition: item?.repetition ?? null,
  }
}

function tokenColumns(usage: Usage | null): ExportRow {
  return {
    ...columns(usage ?? {}, 'inputTokens', 'outputTokens', 'reasoningTokens', 'cacheReadTokens', 'cacheWriteTokens'),
    tokens: tokensOf(usage),
  }
}

/** A run as a row of the table `runs`. */
function runRow(run: ExperimentResult): ExportRow {
  return {
    ...place(run, null),
    ...columns(run, 'kind', 'status', 'stopReason', 'startedAt', 'endedAt', 'durationMs'),
    dataset: run.dataset.name,
    dataset_version: run.dataset.version,
    dataset_hash: run.dataset.hash,
    git_commit: run.code.gitCommit,
    git_dirty: run.code.dirty,
    jury: run.jury?.name ?? null,
    jury_fingerprint: run.jury?.fingerprint ?? null,
    rejudged_from: run.lineage?.rejudgedFrom ?? null,
    root_run: run.lineage?.root ?? null,
    ...columns(run.counts, 'planned', 'run', 'notRun', 'passes', 'fails', 'undecided', 'infrastructureFailures'),
    pass_rate: run.passRate,
    pass_rate_low: run.passRateInterval?.low ?? null,
    pass_rate_high: run.passRateInterval?.high ?? null,
    pass_rate_of_all: run.passRateOfAll,
    flaky_items: run.flakyItems.length,
    ...tokenColumns(run.usage),
    judge_tokens: tokensOf(run.judgeUsage),
    ...columns(run, 'costUsd', 'judgeCostUsd', 'unpricedTrials'),
    agent_ms: run.agentMs?.total ?? null,
  }
}

/** A trial as a row of the table `items`. */
function itemRow(run: ExperimentResult, item: ItemResult): ExportRow {
  return {
    ...place(run, item),
    ...columns(item, 'itemSlug', 'itemHash', 'bucket', 'taskType', 'tags', 'agent', 'judged', 'passed'),
    outcome: outcomeOf(item),
    reason: reasonOf(item),
    failure_origin: item.failure?.origin ?? null,
    failure_code: item.failure?.code ?? null,
    failure_message: item.failure?.message ?? null,
    infrastructure: item.failure?.infrastructure ?? null,
    output: answerText(outputOf(item)),
    expected_output: answerText(expectedOutputOf(item) ?? undefined),
    attempts: item.attempts.length + 1,
    ...columns(item, 'startedAt', 'endedAt', 'durationMs', 'setupMs', 'agentMs', 'juryMs'),
    ...tokenColumns(item.usage),
    judge_tokens: tokensOf(item.judgeUsage),
    ...columns(item, 'costUsd', 'judgeCostUsd', 'scores'),
    'efficiency.toolErrors': item.efficiency?.['toolErrors'] ?? null,
    'efficiency.toolUse': item.efficiency?.['toolUse'] ?? null,
    'efficiency.cost': item.efficiency?.['cost'] ?? null,
    'efficiency.recovery': item.efficiency?.['recovery'] ?? null,
    'efficiency.composite': item.efficiency?.['composite'] ?? null,
    ...columns(item, 'workspacePath', 'journalPath'),
  }
}

/** The judgments of a trial as rows of the table `judgments`: the whole verdict, and everything it rests on. */
function judgmentRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  return judgmentsOf(item).map((row) => ({ ...place(run, item), ...judgmentColumns(row) }))
}

/** The checks of a trial, as rows of the table `checks`; each check once, under its judge. */
function checkRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  const judges = judgmentsOf(item).filter(({ kind }) => kind === 'judge')
  return judges.flatMap(({ path, judgment }) =>
    judgment.checks.map((check) => ({
      ...place(run, item),
      path,
      judge_status: judgment.status,
      ...checkColumns(check),
    })),
  )
}

/** In a calibration the trial is about one judgment, which takes the place of a verdict. */
function judgmentsOf({ verdict, detail }: ItemResult): readonly VerdictRow[] {
  if (verdict !== null) return flatten(verdict)
  return detail?.kind === 'judge' ? [{ path: '', name: '', kind: 'judge', judgment: detail.judgment }] : []
}

function judgmentColumns({ path, name, kind, judgment, weight }: VerdictRow): ExportRow {
  return {
    path,
    judge: name,
    kind,
    status: judgment.status,
    ...scoreColumns(judgment),
    weight: weight ?? null,
    reasoning: judgment.reasoning,
    checks: judgment.checks.length,
    failed_checks: judgment.checks.filter(({ passed }) => !passed).length,
    failure_code: judgment.status === 'error' ? (judgment.failure.code ?? null) : null,
    elapsed_ms: judgment.elapsedMs ?? null,
    tokens: tokensOf(judgment.usage ?? null),
    cost_usd: judgment.costUsd ?? null,
  }
}

function scoreColumns(judgment: Judgment): ExportRow {
  const { score } = judgment
  if (score === undefined) return { score: null, score_type: null, raw_score: null }
  return { score: normalize(score) ?? null, score_type: score.type, raw_score: score.value }
}

function checkColumns({ name, passed, message, score, location }: Check): ExportRow {
  return {
    check: name,
    passed,
    score: score ?? null,
    message,
    file: location?.path ?? null,
    line: location?.line ?? null,
  }
}

/** The phases of a trial as rows of the table `phases`. */
function phaseRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  return phasesOf(item).map((phase, index) => ({
    ...place(run, item),
    index,
    phase: phase.name,
    failed: phase.failed ?? false,
    turns: phase.turns ?? null,
    tool_calls: phase.toolUses?.length ?? null,
    tool_errors: phase.toolResults?.filter(({ failed }) => failed).length ?? null,
    elapsed_ms: phase.elapsedMs ?? null,
    api_ms: phase.apiMs ?? null,
    ...tokenColumns(phase.usage ?? null),
    cost_usd: phase.costUsd ?? null,
    session_id: phase.sessionId ?? null,
  }))
}

/** The tool calls of a trial as rows of the table `tools`, in order, each with its result. */
function toolRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  const calls = phasesOf(item).flatMap((phase) => {
    const results = new Map(phase.toolResults?.map((result) => [result.toolUseId, result]))
    return (phase.toolUses ?? []).map((use) => ({ phase: phase.name, use, result: results.get(use.id) }))
  })
  return calls.map(({ phase, use, result }, index) => ({
    ...place(run, item),
    index,
    phase,
    tool_use_id: use.id,
    tool: use.name,
    input: use.input,
    failed: result?.failed ?? null,
    result: result?.content ?? null,
  }))
}

function phasesOf({ detail }: ItemResult): readonly Phase[] {
  return detail?.kind === 'agent' ? (detail.invocation.phases ?? []) : []
}

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
 * Objects and arrays are JSON; a string that a spreadsheet would take for a formula gets an apostrophe in front. No rows
 * give no lines.
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
