import type { Interval } from '../summary.js'
import type { UnitCounts } from './bootstrap.js'
import { studentTQuantile } from './student-t.js'
import { scoreBounds, wilsonBounds } from './wilson.js'

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
