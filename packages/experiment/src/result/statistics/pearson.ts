import { sumOf } from './confusion-counts.js'
import { checkPairs } from './spearman.js'
import { meanOf } from './standard-error.js'

/**
 * The product-moment correlation of Pearson 1895.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 *
 * @example
 * pearson([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) // 0.832, rounded
 */
export function pearson(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('pearson', a, b)
  // The mean of equal values may be off by rounding: they do not vary for that.
  if ([a, b].some((side) => side.every((value) => value === side[0]))) return null
  const [meanA, meanB] = [meanOf(a), meanOf(b)]
  const products = sumOf(a.map((value, index) => (value - meanA) * ((b[index] ?? 0) - meanB)))
  const spread = (side: readonly number[], mean: number) => Math.sqrt(sumOf(side.map((value) => (value - mean) ** 2)))
  const bound = spread(a, meanA) * spread(b, meanB)
  return bound === 0 ? null : Math.min(1, Math.max(-1, products / bound))
}
