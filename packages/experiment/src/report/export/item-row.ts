import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { outcomeOf } from '../../result/trial-outcome.js'
import { reasonOf } from '../../result/trial-reason.js'
import { tokensOf } from '../../result/usage.js'
import type { ExportRow } from './row.js'

/**
 * A trial as a row of the table `items`. One literal, though its parts stand in other rows too: an object of so many keys
 * that is put together by spreading takes many times as long to make.
 */
export function itemRow(run: ExperimentResult, item: ItemResult): ExportRow {
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
