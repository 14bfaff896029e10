/**
 * Returns the bounds of the score interval of a proportion (Wilson 1927). The rate of `n` observations may be any mean,
 * not only a fraction of them. `low` is exactly 0 for a rate of 0, and `high` exactly 1 for a rate of 1.
 *
 * @param quantile of the normal or another distribution
 */
export function scoreBounds(
  rate: number,
  n: number,
  quantile: number,
): { readonly low: number; readonly high: number } {
  const square = quantile * quantile
  const scale = 1 + square / n
  const centre = (rate + square / (2 * n)) / scale
  const half = (quantile / scale) * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n * n))
  return {
    low: rate === 0 ? 0 : Math.max(0, centre - half),
    high: rate === 1 ? 1 : Math.min(1, centre + half),
  }
}
