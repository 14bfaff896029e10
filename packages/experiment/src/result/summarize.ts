import { totalCost } from '@jurist/core'
import type { ExperimentResult, ItemResult, RunRecord } from './records.js'
import { decidedByItem, flakyItems, passAtEachK, passRateInterval } from './repeated.js'
import { scoreSummaries } from './score-summary.js'
import { quantile } from './statistics/quantile.js'
import type { Summary } from './summary.js'
import { countsOf, passRateOf } from './tally.js'
import { sumUsage } from './usage.js'

/**
 * What follows from the items of a run, in time linear in their number (quantiles sort).
 *
 * @throws `statistic-invalid` when a score is not a finite number
 *
 * @example
 * const { passRate, passRateOfAll, flakyItems } = summarize({ items, planned: 12 })
 */
export function summarize({ items, planned }: Pick<RunRecord, 'items' | 'planned'>): Summary {
  const counts = countsOf(items, planned)
  const decided = decidedByItem(items)
  return {
    counts,
    passCount: counts.passes,
    failCount: counts.fails,
    passRate: passRateOf(counts),
    passRateOfAll: counts.planned === 0 ? null : counts.passes / counts.planned,
    passRateInterval: passRateInterval(decided),
    passAtK: passAtEachK(decided),
    flakyItems: flakyItems(decided),
    scores: scoreSummaries(items, (item) => item.scores),
    efficiency: scoreSummaries(items, (item) => item.efficiency),
    usage: sumUsage(items.map((item) => item.usage)),
    judgeUsage: sumUsage(items.map((item) => item.judgeUsage)),
    costUsd: totalCost(items.map((item) => item.costUsd)) ?? null,
    judgeCostUsd: totalCost(items.map((item) => item.judgeCostUsd)) ?? null,
    unpricedTrials: items.reduce((count, { costUsd }) => (costUsd === null ? count + 1 : count), 0),
    agentMs: agentTimes(items),
    byBucket: bucketsOf(items),
  }
}

/**
 * A run with its summary.
 *
 * @example
 * const { passRate } = resultOf(run)
 */
export function resultOf(run: RunRecord): ExperimentResult {
  return { ...run, ...summarize(run) }
}

function agentTimes(items: readonly ItemResult[]): Summary['agentMs'] {
  const times = Float64Array.from(items.flatMap((item) => (agentRan(item) ? item.agentMs : []))).sort()
  if (times.length === 0) return null
  const total = times.reduce((sum, time) => sum + time, 0)
  return { total, mean: total / times.length, median: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

/** A cancelled trial may have been stopped before its agent was called: then no time was measured. */
function agentRan({ agent, agentMs }: ItemResult): boolean {
  return agent !== 'setup-error' && (agent !== 'cancelled' || agentMs > 0)
}

function bucketsOf(items: readonly ItemResult[]): Summary['byBucket'] {
  const buckets = new Map<string, ItemResult[]>()
  for (const item of items) {
    const bucket = buckets.get(item.bucket)
    if (bucket === undefined) buckets.set(item.bucket, [item])
    else bucket.push(item)
  }
  return Object.fromEntries(
    [...buckets].map(([bucket, members]) => {
      const counts = countsOf(members, members.length)
      return [bucket, { counts, passRate: passRateOf(counts) }]
    }),
  )
}
