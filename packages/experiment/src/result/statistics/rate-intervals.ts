import { scoreBounds } from '@jurist/kit/score-bounds'
import type { Interval } from '../summary.js'
import type { UnitCounts } from './bootstrap.js'
import { betaQuantile, normalQuantile, studentTQuantile } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/**
 * The score interval of a proportion (Wilson 1927): `k` of `n`.
 *
 * @param level default 0.95
 * @returns `null` when `n` is 0; `low` is exactly 0 when `k` is 0, `high` exactly 1 when `k` is `n`
 * @throws `statistic-invalid` for negative counts, k > n, a level outside (0, 1)
 */
export function wilsonInterval(k: number, n: number, level = 0.95): Interval | null {
  checkCounts('wilsonInterval', { k, n })
  checkLevel('wilsonInterval', level)
  if (k > n) statisticInvalid('wilsonInterval', `k must not exceed n, but ${k} of ${n} were given`)
  return n === 0 ? null : { ...wilsonBounds(k / n, n, level), level, method: 'wilson' }
}

/** The bounds for a rate of `n` observations, which need not be a fraction of them: the mean of some items. */
function wilsonBounds(rate: number, n: number, level: number): Pick<Interval, 'low' | 'high'> {
  return scoreBounds(rate, n, normalQuantile((1 + level) / 2))
}

/**
 * The interval of the share of all matches in all trials, where the trials of a unit depend on each other: Wilson's on the
 * effective number of trials p(1 − p)/SE², with the error clustered by unit (Miller 2024, appendix A) and the quantile of
 * Student's t for one unit less (Korn and Graubard 1998, Survey Methodology 24:193, after Dean and Pagano 2015, Journal of
 * Survey Statistics and Methodology 3:484). Units that are all alike have no such error, however few they are: then
 * Wilson's for their rate, each unit counting once.
 *
 * @returns `null` below two units
 */
export function effectiveWilson(units: readonly UnitCounts[], level: number): Interval | null {
  const share = clusteredShare(units)
  if (share === null) return null
  const { rate, error } = share
  if (error === 0) return { ...wilsonBounds(rate, units.length, level), level, method: 'wilson-by-item' }
  const effective = (rate * (1 - rate)) / error ** 2
  const quantile = studentTQuantile((1 + level) / 2, units.length - 1)
  return { ...scoreBounds(rate, effective, quantile), level, method: 'wilson-effective' }
}

/** The interval that contains a value; `null` without a value or an interval. */
export function holding(value: number | null, interval: Interval | null): Interval | null {
  if (value === null || interval === null) return null
  return { ...interval, low: Math.min(value, interval.low), high: Math.max(value, interval.high) }
}

/**
 * How many trials count as much as one independent trial: the design effect of Kish (1965, Survey Sampling, section 8.2), from
 * the error clustered by unit. At least 1, and at most the mean number of trials of a unit, which it is where all trials of each
 * unit agree, or where the error is unknown.
 */
export function designEffect(units: readonly UnitCounts[]): number {
  const trials = units.reduce((sum, unit) => sum + unit.trials, 0)
  const most = Math.max(1, trials / Math.max(1, units.length))
  const { rate, error } = clusteredShare(units) ?? { rate: 0, error: 0 }
  if (error === 0) return most
  return Math.min(most, Math.max(1, (trials * error ** 2) / (rate * (1 - rate))))
}

/** The share of all matches in all trials, with its error clustered by unit; `null` below two units. */
export function clusteredShare(units: readonly UnitCounts[]): { readonly rate: number; readonly error: number } | null {
  const count = units.length
  if (count < 2) return null
  let [matches, trials] = [0, 0]
  for (const unit of units) {
    matches += unit.matches
    trials += unit.trials
  }
  const rate = matches / trials
  let squares = 0
  for (const unit of units) squares += (unit.matches - unit.trials * rate) ** 2
  const error = Math.sqrt((squares * count) / (count - 1)) / trials
  // Residuals that cancel out leave the rounding of a sum behind.
  return { rate, error: error < 1e-12 ? 0 : error }
}

/**
 * The exact upper bound of an error rate when `k` of `n` were wrong: with probability 1 − `delta` at least, the true rate
 * is not above it (Clopper and Pearson 1934, one-sided).
 *
 * @param delta the risk of being wrong about that, in (0, 1)
 * @returns 1 when all were wrong, and when nothing was counted: anything may be true then
 * @throws `statistic-invalid` for negative counts, k > n, a `delta` outside (0, 1)
 */
export function clopperPearsonUpper(k: number, n: number, delta: number): number {
  checkCounts('clopperPearsonUpper', { k, n })
  checkLevel('clopperPearsonUpper', delta, 'delta')
  if (k > n) statisticInvalid('clopperPearsonUpper', `k must not exceed n, but ${k} of ${n} were given`)
  // The chance of at most k errors at rate p is 1 − I_p(k + 1, n − k).
  return k === n ? 1 : betaQuantile(1 - delta, k + 1, n - k)
}
