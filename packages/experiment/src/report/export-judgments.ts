import { type Check, flatten, type Judgment, normalize, type Phase, type VerdictRow } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { tokensOf } from '../result/summarize.js'
import { type ExportRow, place, tokenColumns } from './export-rows.js'

/** The judgments of a trial as rows of the table `judgments`: the whole verdict, and everything it rests on. */
export function judgmentRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
  return judgmentsOf(item).map((row) => ({ ...place(run, item), ...judgmentColumns(row) }))
}

/** What was looked at in a trial, as rows of the table `checks`; each check once, under its judge. */
export function checkRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
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

/** In a calibration the trial is about one judgment, which stands for a verdict. */
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
  if (!('score' in judgment)) return { score: null, score_type: null, raw_score: null }
  const { score } = judgment
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
export function phaseRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
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
export function toolRows(run: ExperimentResult, item: ItemResult): readonly ExportRow[] {
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
