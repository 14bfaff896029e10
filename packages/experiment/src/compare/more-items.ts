import { normalQuantile } from '../result/statistics/normal.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ComparisonVerdict } from './comparison.js'

/** How often a difference of the size that was seen is to be found. */
const power = 0.8

/**
 * How many more items would be needed. To say anything: up to `minimumPairs`. To detect a difference as large as the one
 * that was seen, with as many items that differ: the sample size of McNemar's test (Connor 1987, Biometrics 43:207); where
 * items have repetitions, with differences as widely spread: that of a mean, corrected for few items (Guenther 1981, The
 * American Statistician 35:243).
 * `null`: none, or no number would do because nothing points either way.
 */
export function moreItemsNeeded(
  verdict: ComparisonVerdict,
  passRate: Comparison['passRate'],
  { minimumPairs, alpha }: Pick<CompareSettings, 'minimumPairs' | 'alpha'>,
): number | null {
  switch (verdict) {
    case 'insufficient-data':
      return minimumPairs - (passRate?.items ?? 0)
    case 'no-difference-detected':
      return passRate === null ? null : moreToDetect(passRate, alpha)
    case 'improved':
    case 'regressed':
      return null
    default:
      return verdict satisfies never
  }
}

type PassRate = NonNullable<Comparison['passRate']>

function moreToDetect(passRate: PassRate, alpha: number): number | null {
  const wanted = passRate.test.method === 'mcnemar-exact' ? pairsWanted(passRate, alpha) : itemsWanted(passRate, alpha)
  return wanted === null ? null : Math.max(1, Math.ceil(wanted) - passRate.items)
}

function pairsWanted({ items, test }: PassRate, alpha: number): number | null {
  const difference = Math.abs(test.better - test.worse) / items
  if (difference === 0) return null
  const differing = (test.better + test.worse) / items
  const [unlikely, found] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const root = unlikely * Math.sqrt(differing) + found * Math.sqrt(Math.max(0, differing - difference ** 2))
  return (root / difference) ** 2
}

/** As `accident` of means: repetitions that cancel each other out leave no difference. */
const noDifference = 1e-12

/** Of a mean of item differences, whose spread is known from the items there are. */
function itemsWanted({ items, delta, standardError }: PassRate, alpha: number): number | null {
  if (Math.abs(delta) < noDifference || standardError === null) return null
  const [unlikely, found] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const spread = standardError * Math.sqrt(items)
  return ((unlikely + found) * (spread / delta)) ** 2 + unlikely ** 2 / 2
}
