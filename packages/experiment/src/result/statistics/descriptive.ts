import { checkValues, statisticInvalid } from './invalid.js'

/**
 * The quantile of sorted values by linear interpolation at (n − 1)p: type 7 of Hyndman and Fan 1996, The American
 * Statistician 50:361. There must be a value.
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const place = (sorted.length - 1) * p
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1]
  return high === undefined ? low : low + (place - below) * (high - low)
}

/**
 * The standard error of the mean: the sample standard deviation (n − 1) over √n.
 *
 * @returns `null` below two values
 * @throws `statistic-invalid` for values that are not finite
 */
export function standardError(values: readonly number[]): number | null {
  checkValues('standardError', values)
  const n = values.length
  if (n < 2) return null
  const mean = meanOf(values)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / (n * (n - 1)))
}

/**
 * The standard error of the mean when values of one cluster depend on each other, such as repetitions of one item:
 * √(Σ over clusters of (Σ residuals)²)/n (Miller 2024, Adding Error Bars to Evals, appendix A).
 *
 * @param clusters the cluster of each value
 * @param options.correction whether the variance is multiplied by C/(C − 1), for few clusters C. Default `true`
 * @returns `null` below two clusters
 * @throws `statistic-invalid` for unequal lengths and for values that are not finite
 */
export function clusteredStandardError(
  values: readonly number[],
  clusters: readonly string[],
  { correction = true }: { readonly correction?: boolean } = {},
): number | null {
  checkValues('clusteredStandardError', values)
  const n = values.length
  if (clusters.length !== n)
    statisticInvalid('clusteredStandardError', `${n} values need as many clusters, not ${clusters.length}`)
  const mean = n === 0 ? 0 : meanOf(values)
  const residuals = new Map<string, number>()
  for (const [index, cluster] of clusters.entries())
    residuals.set(cluster, (residuals.get(cluster) ?? 0) + (values[index] ?? 0) - mean)
  const count = residuals.size
  if (count < 2) return null
  const squares = [...residuals.values()].reduce((sum, residual) => sum + residual ** 2, 0)
  return Math.sqrt(squares * (correction ? count / (count - 1) : 1)) / n
}

/** The mean of at least one value. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
