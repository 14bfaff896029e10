import { normalQuantile } from '../result/statistics/normal.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ComparisonVerdict } from './comparison.js'

/** How often a difference of the size that was seen is to be found. */
const power = 0.8

/**
 * How many more items would be needed. To say anything: up to `minimumPairs`. To detect a difference as large as the one
 * that was seen, with as many items that differ: the sample size of McNemar's test (Connor 1987, Biometrics 43:207).
 * `null`: none, or no number would do because nothing points either way.
 */
export function moreItemsNeeded(
  verdict: ComparisonVerdict,
  passRate: Comparison['passRate'],
  { minimumPairs, alpha }: CompareSettings,
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

function moreToDetect({ items, test }: NonNullable<Comparison['passRate']>, alpha: number): number | null {
  const difference = Math.abs(test.better - test.worse) / items
  if (difference === 0) return null
  const differing = (test.better + test.worse) / items
  const [unlikely, found] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const root = unlikely * Math.sqrt(differing) + found * Math.sqrt(Math.max(0, differing - difference ** 2))
  return Math.max(1, Math.ceil((root / difference) ** 2) - items)
}
