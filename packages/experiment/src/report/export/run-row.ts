import type { ExperimentResult } from '../../result/records.js'
import { tokensOf } from '../../result/usage.js'
import { type ExportRow, place, tokenColumns } from './row.js'

/** A run as a row of the table `runs`. */
export function runRow(run: ExperimentResult): ExportRow {
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
