import { mcnemarExact } from '../result/statistics/mcnemar.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ComparisonVerdict, SignTest } from './comparison.js'
import type { BothSides } from './item-measures.js'
import { pairedDelta } from './paired-delta.js'

/** The pass rate over the items that are decided on both sides, with an exact test; `null`: there is none. */
export function passRateOf(items: readonly BothSides[], settings: CompareSettings): Comparison['passRate'] {
  const delta = pairedDelta(items, settings)
  return delta === null ? null : { ...delta, test: signTest(items) }
}

/** The sign test on items (Dixon and Mood 1946). With one decided pair an item it is McNemar's exact test. */
function signTest(items: readonly BothSides[]): SignTest {
  const worse = items.filter(({ before, after }) => after < before).length
  const better = items.filter(({ before, after }) => after > before).length
  return {
    method: items.every(({ pairs }) => pairs === 1) ? 'mcnemar-exact' : 'sign-exact',
    worse,
    better,
    same: items.length - worse - better,
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
