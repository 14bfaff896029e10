import { mcnemarExact } from '../result/statistics/mcnemar.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ComparisonVerdict, SignTest } from './comparison.js'
import { deltasOf, type PairedColumn, pairedDelta } from './paired-delta.js'

/**
 * The pass rate over the items that are decided on both sides, with an exact test; `null`: there is none.
 *
 * @param single whether every item has one decided pair
 */
export function passRateOf(column: PairedColumn, single: boolean, settings: CompareSettings): Comparison['passRate'] {
  const delta = pairedDelta(column, settings)
  return delta === null ? null : { ...delta, test: signTest(deltasOf(column), single) }
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

/** What the pass rates amount to. */
export function verdictOf(passRate: Comparison['passRate'], settings: CompareSettings): ComparisonVerdict {
  if (passRate === null || passRate.items < settings.minimumPairs) return 'insufficient-data'
  const { worse, better, pValue } = passRate.test
  if (pValue > settings.alpha) return 'no-difference-detected'
  return worse > better ? 'regressed' : 'improved'
}
