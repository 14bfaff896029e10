import { mcnemarExact } from '../result/statistics/mcnemar.js'
import { type CompareSettings, defaultAlpha } from './compare-options.js'
import type { Comparison, ComparisonVerdict, SignTest } from './comparison.js'
import { meanTest } from './mean-test.js'
import { deltasOf, type PairedColumn, pairedRateDelta } from './paired-delta.js'

/**
 * The pass rate over the items that are decided on both sides, with its tests; `null`: there is none.
 *
 * @param single whether every item has one decided pair
 */
export function passRateOf(column: PairedColumn, single: boolean, settings: CompareSettings): Comparison['passRate'] {
  const delta = pairedRateDelta(column, settings)
  if (delta === null) return null
  const deltas = deltasOf(column)
  return { ...delta, test: signTest(deltas, single), permutation: meanTest(deltas) }
}

/** The sign test on items (Dixon and Mood 1946). With one decided pair an item it is McNemar's exact test. */
function signTest(deltas: readonly number[], single: boolean): SignTest {
  const worse = deltas.filter((delta) => delta < 0).length
  const better = deltas.filter((delta) => delta > 0).length
  return {
    method: single ? 'mcnemar-exact' : 'sign-exact',
    worse,
    better,
    same: deltas.length - worse - better,
    pValue: mcnemarExact(worse, better),
  }
}

/** The significance level of a comparison, also of one that was stored without it. */
export function significanceOf({ alpha }: Pick<Comparison, 'alpha'>): number {
  return alpha ?? defaultAlpha
}

/** What the pass rates amount to. */
export function verdictOf(
  passRate: Comparison['passRate'],
  { minimumPairs, alpha }: Pick<CompareSettings, 'minimumPairs' | 'alpha'>,
): ComparisonVerdict {
  if (passRate === null || passRate.items < minimumPairs) return 'insufficient-data'
  if (passRate.permutation.adjustedPValue > alpha) return 'no-difference-detected'
  return passRate.delta < 0 ? 'regressed' : 'improved'
}
