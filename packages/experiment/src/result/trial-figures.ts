import type { ItemResult } from './records.js'

/** What the summary of a run is made of: the figures of a trial, without its texts, its verdict and its files. */
export interface TrialFigures
  extends Pick<
    ItemResult,
    | 'itemId'
    | 'repetition'
    | 'bucket'
    | 'agent'
    | 'judged'
    | 'passed'
    | 'agentMs'
    | 'usage'
    | 'judgeUsage'
    | 'costUsd'
    | 'judgeCostUsd'
    | 'scores'
    | 'efficiency'
  > {
  readonly failure: { readonly infrastructure: boolean } | null
}

/** The figures of a trial, by themselves: the rest of it need not be kept for the summary. */
export function figuresOf(item: ItemResult): TrialFigures {
  const { itemId, repetition, bucket, agent, judged, passed, agentMs } = item
  const { usage, judgeUsage, costUsd, judgeCostUsd, scores, efficiency } = item
  const failure = item.failure === null ? null : { infrastructure: item.failure.infrastructure }
  return {
    itemId,
    repetition,
    bucket,
    agent,
    judged,
    passed,
    agentMs,
    usage,
    judgeUsage,
    costUsd,
    judgeCostUsd,
    scores,
    efficiency,
    failure,
  }
}
