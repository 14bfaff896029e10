import type { Interval } from '../summary.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'
import { normalQuantile } from './normal.js'

/**
 * The score interval of a proportion (Wilson 1927): `k` of `n`.
 *
 * @param level default 0.95
 * @returns `null` when `n` is 0; `low` is exactly 0 when `k` is 0, `high` exactly 1 when `k` is `n`
 * @throws `statistic-invalid` for negative counts, k > n, a level outside (0, 1)
 *
 * @example
 * wilsonInterval(9, 10) // { low: 0.596, high: 0.982, level: 0.95, method: 'wilson' }, rounded
 */
export function wilsonInterval(k: number, n: number, level = 0.95): Interval | null {
  checkCounts('wilsonInterval', { k, n })
  checkLevel('wilsonInterval', level)
  if (k > n) statisticInvalid('wilsonInterval', `k must not exceed n, but ${k} of ${n} were given`)
  return n === 0 ? null : { ...wilsonBounds(k / n, n, level), level, method: 'wilson' }
}

/** The bounds for a rate of `n` observations, which need not be a fraction of them: the mean of some items. */
export function wilsonBounds(rate: number, n: number, level: number): Pick<Interval, 'low' | 'high'> {
  return scoreBounds(rate, n, normalQuantile((1 + level) / 2))
}

/** As `wilsonBounds`, for a quantile that need not be that of the normal distribution. */
export function scoreBounds(rate: number, n: number, quantile: number): Pick<Interval, 'low' | 'high'> {
  const square = quantile * quantile
  const scale = 1 + square / n
  const centre = (rate + square / (2 * n)) / scale
  const half = (quantile / scale) * Math.sqrt((rate * (1 - rate)) / n + square / (4 * n * n))
  return {
    low: rate === 0 ? 0 : Math.max(0, centre - half),
    high: rate === 1 ? 1 : Math.min(1, centre + half),
  }
}
