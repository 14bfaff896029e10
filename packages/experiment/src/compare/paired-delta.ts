import { bootstrapInterval, widenedBootstrap } from '../result/statistics/bootstrap.js'
import { normalQuantile } from '../result/statistics/normal.js'
import { meanOf, standardError } from '../result/statistics/standard-error.js'
import type { Interval } from '../result/summary.js'
import type { CompareSettings } from './compare-options.js'
import type { PairedDelta } from './comparison.js'

/** The means of items on both sides, the same item at the same place. Two lists of numbers are kept where objects would be many. */
export interface PairedColumn {
  readonly before: readonly number[]
  readonly after: readonly number[]
}

const defaultResamples = 10_000

/** Items above which the mean is as good as normal, and a bootstrap of 10,000 resamples would take long. */
const manyItems = 2_000

/** The means of items on both sides, and how sure their difference is; `null`: there is no item. */
export function pairedDelta(column: PairedColumn, settings: CompareSettings): PairedDelta | null {
  const { before, after } = column
  if (before.length === 0) return null
  const deltas = deltasOf(column)
  const delta = meanOf(deltas)
  const error = standardError(deltas)
  return {
    items: before.length,
    baselineMean: meanOf(before),
    candidateMean: meanOf(after),
    delta,
    standardError: error,
    interval: intervalOf(deltas, delta, error, settings),
  }
}

/** As `pairedDelta`, of rates and scores: where all means lie within [0, 1], no difference lies beyond 1. */
export function pairedRateDelta(column: PairedColumn, settings: CompareSettings): PairedDelta | null {
  const delta = pairedDelta(column, settings)
  const isRate = (value: number) => value >= 0 && value <= 1
  if (delta === null || delta.interval === null) return delta
  if (!column.before.every(isRate) || !column.after.every(isRate)) return delta
  const { low, high } = delta.interval
  return { ...delta, interval: { ...delta.interval, low: Math.max(-1, low), high: Math.min(1, high) } }
}

/** Candidate less baseline, item by item. */
export function deltasOf({ before, after }: PairedColumn): readonly number[] {
  return after.map((value, index) => value - (before[index] ?? 0))
}

function intervalOf(
  deltas: readonly number[],
  mean: number,
  error: number | null,
  { level, resamples, seed }: CompareSettings,
): Interval | null {
  // Resamples that were asked for give the plain percentile interval, as other programs have it.
  if (resamples !== undefined) return bootstrapInterval(deltas, { level, seed, resamples })
  if (deltas.length <= manyItems) return widenedBootstrap(deltas, { level, seed, resamples: defaultResamples })
  if (error === null || error === 0) return null
  const half = normalQuantile((1 + level) / 2) * error
  return { low: mean - half, high: mean + half, level, method: 'normal' }
}
