import { bootstrapInterval } from '../result/statistics/bootstrap.js'
import { normalQuantile } from '../result/statistics/normal.js'
import { meanOf, standardError } from '../result/statistics/standard-error.js'
import type { Interval } from '../result/summary.js'
import type { CompareSettings } from './compare-options.js'
import type { PairedDelta } from './comparison.js'
import type { BothSides } from './item-measures.js'

const defaultResamples = 10_000

/** Items above which the mean is as good as normal, and a bootstrap of 10,000 resamples would take long. */
const manyItems = 2_000

/** The means of items on both sides, and how sure their difference is; `null`: there is no item. */
export function pairedDelta(
  items: readonly Pick<BothSides, 'before' | 'after'>[],
  settings: CompareSettings,
): PairedDelta | null {
  if (items.length === 0) return null
  const deltas = items.map(({ before, after }) => after - before)
  return {
    items: items.length,
    baselineMean: meanOf(items.map(({ before }) => before)),
    candidateMean: meanOf(items.map(({ after }) => after)),
    delta: meanOf(deltas),
    standardError: standardError(deltas),
    interval: intervalOf(deltas, settings),
  }
}

function intervalOf(deltas: readonly number[], { level, resamples, seed }: CompareSettings): Interval | null {
  if (resamples !== undefined || deltas.length <= manyItems)
    return bootstrapInterval(deltas, { level, seed, resamples: resamples ?? defaultResamples })
  const half = normalQuantile((1 + level) / 2) * (standardError(deltas) ?? 0)
  const mean = meanOf(deltas)
  return { low: mean - half, high: mean + half, level, method: 'normal' }
}
