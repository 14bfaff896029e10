import type { Json, Usage } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../../result/records.js'
import { tokensOf } from '../../result/usage.js'

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
