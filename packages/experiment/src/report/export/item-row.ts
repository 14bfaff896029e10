import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { tokensOf } from '../../result/usage.js'
import { type ExportRow, place, tokenColumns } from './row.js'

/** A trial as a row of the table `items`. */
export function itemRow(run: ExperimentResult, item: ItemResult): ExportRow {
  return {
    ...place(run, item),
    item_slug: item.itemSlug,
    item_hash: item.itemHash,
    bucket: item.bucket,
    task_type: item.taskType,
    tags: item.tags,
    agent: item.agent,
    judged: item.judged,
    passed: item.passed,
    ...failureColumns(item),
    attempts: item.attempts.length + 1,
    started_at: item.startedAt,
    ended_at: item.endedAt,
    duration_ms: item.durationMs,
    setup_ms: item.setupMs,
    agent_ms: item.agentMs,
    jury_ms: item.juryMs,
    ...tokenColumns(item.usage),
    judge_tokens: tokensOf(item.judgeUsage),
    cost_usd: item.costUsd,
    judge_cost_usd: item.judgeCostUsd,
    scores: item.scores,
    ...efficiencyColumns(item),
    workspace_path: item.workspacePath,
    journal_path: item.journalPath,
  }
}

function failureColumns({ failure }: ItemResult): ExportRow {
  return {
    failure_origin: failure?.origin ?? null,
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    infrastructure: failure?.infrastructure ?? null,
  }
}

const metrics = ['toolErrors', 'toolUse', 'cost', 'recovery', 'composite']

function efficiencyColumns({ efficiency }: ItemResult): ExportRow {
  return Object.fromEntries(metrics.map((metric) => [`efficiency.${metric}`, efficiency?.[metric] ?? null]))
}
