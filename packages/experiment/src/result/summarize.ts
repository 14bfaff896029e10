import { totalCost } from '@jurist/core'
import type { ExperimentResult, RunRecord } from './records.js'
import { repetitionFigures } from './repeated.js'
import { scoreSummaries } from './score-summary.js'
import { statisticInvalid } from './statistics/invalid.js'
import { quantile } from './statistics/quantile.js'
import type { Summary } from './summary.js'
import { countsOf, passRateOf } from './tally.js'
import type { TrialFigures } from './trial-figures.js'
import { sumUsage } from './usage.js'

/** The trials of a run, of which their figures are enough, and how many were planned. */
export interface SummarizedRun {
  readonly items: readonly TrialFigures[]
  readonly planned: number
  /** Further k of pass@k and pass^k, whole numbers of at least 1; those beyond the trials of every item are left out. */
  readonly passAt?: readonly number[]
}

/**
 * What follows from the items of a run, in time linear in their number (quantiles sort).
 *
 * @throws `statistic-invalid` when a score is not a finite number, and for a `passAt` below 1
 *
 * @example
 * const { passRate, passRateOfAll, flakyItems } = summarize({ items, planned: 12 })
 */
export function summarize({ items, planned, passAt = [] }: SummarizedRun): Summary {
  const counts = countsOf(items, planned)
  const { repeated, ...figures } = repetitionFigures(items, counts, checkedPassAt(passAt))
  return {
    counts,
    passCount: counts.passes,
    failCount: counts.fails,
    passRate: passRateOf(counts),
    passRateOfAll: counts.planned === 0 ? null : counts.passes / counts.planned,
    ...figures,
    scores: scoreSummaries(items, repeated, (item) => item.scores),
    efficiency: scoreSummaries(items, repeated, (item) => item.efficiency),
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
 * A run with its summary, which is worked out when one of its figures is first asked for: reading a long run to compare it
 * needs none. The figures are own, enumerable properties, so that copies and JSON hold them. So are the properties of the
 * run: a getter stays one.
 *
 * @param trials the figures of its trials, for a run that would have to read its items. Default: its items
 * @throws `statistic-invalid` at that moment when a score is not a finite number
 *
 * @example
 * const { passRate } = resultOf(run)
 */
export function resultOf(run: RunRecord, trials?: readonly TrialFigures[]): ExperimentResult {
  let summary: Summary | undefined
  const figure = (name: keyof Summary): PropertyDescriptor => ({
    enumerable: true,
    configurable: true,
    get: () => {
      summary ??= summarize(trials === undefined ? run : { items: trials, planned: run.planned })
      return summary[name]
    },
  })
  const figures = Object.fromEntries(summaryNames.map((name) => [name, figure(name)]))
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(run), ...figures }) as ExperimentResult
}

const summaryNames = Object.keys(summarize({ items: [], planned: 0 })) as readonly (keyof Summary)[]

function checkedPassAt(passAt: readonly number[]): readonly number[] {
  const bad = passAt.find((k) => !Number.isSafeInteger(k) || k < 1)
  if (bad !== undefined) statisticInvalid('summarize', `passAt must have whole numbers of at least 1, not ${bad}`)
  return passAt
}

function agentTimes(items: readonly TrialFigures[]): Summary['agentMs'] {
  const times = Float64Array.from(items.filter(agentRan), ({ agentMs }) => agentMs).sort()
  if (times.length === 0) return null
  const total = times.reduce((sum, time) => sum + time, 0)
  return { total, mean: total / times.length, median: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

/** A cancelled trial may have been stopped before its agent was called: then no time was measured. */
function agentRan({ agent, agentMs }: TrialFigures): boolean {
  return agent !== 'setup-error' && (agent !== 'cancelled' || agentMs > 0)
}

function bucketsOf(items: readonly TrialFigures[]): Summary['byBucket'] {
  const buckets = new Map<string, TrialFigures[]>()
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
