import { checkCounts } from './invalid.js'

/**
 * The exact two-sided test on pairs that differ (McNemar 1947, in its binomial form): how likely so uneven a split is when
 * worse and better are equally likely, min(1, 2·P(X ≤ min)) with X ~ Bin(worse + better, 1/2).
 *
 * @returns 1 when no pair differs
 * @throws `statistic-invalid` for counts that are no whole numbers of at least 0
 *
 * @example
 * mcnemarExact(1, 9) // 0.021484375
 */
export function mcnemarExact(worse: number, better: number): number {
  checkCounts('mcnemarExact', { worse, better })
  const n = worse + better
  const least = Math.min(worse, better)
  if (2 * least === n) return 1
  // The sum of C(n, 0) … C(n, least), divided by 2^n. Both may be beyond the largest number: powers of two are kept apart.
  let [term, sum, halvings] = [1, 1, n - 1]
  for (let chosen = 0; chosen < least; chosen += 1) {
    term *= (n - chosen) / (chosen + 1)
    sum += term
    if (sum > 2 ** 500) {
      term /= 2 ** 500
      sum /= 2 ** 500
      halvings -= 500
    }
  }
  // In two steps: 2^−n alone may be too small for a number when the result is not.
  const half = Math.floor(halvings / 2)
  return Math.min(1, sum * 2 ** -half * 2 ** -(halvings - half))
}
