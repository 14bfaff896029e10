import type { Interval } from '../summary.js'
import { normalQuantile } from './distributions.js'
import { statisticInvalid } from './invalid.js'

/**
 * Estimates the true pass rate from the observed one when the judge errs at known rates (Rogan and Gladen 1978):
 * (observed + specificity − 1)/(sensitivity + specificity − 1), clipped to [0, 1].
 *
 * @param observed the share that the judge passed
 * @param sensitivity the share of what should pass that the judge passes
 * @param specificity the share of what should fail that the judge fails
 * @returns `null` when the judge is no better than chance
 * @throws `statistic-invalid` for a rate outside [0, 1]
 *
 * @example
 * import { correctedPassRate } from '@jurist/experiment/calibrate'
 *
 * correctedPassRate(0.6, 0.9, 0.8) // 0.571, rounded
 */
export function correctedPassRate(observed: number, sensitivity: number, specificity: number): number | null {
  for (const [name, rate] of Object.entries({ observed, sensitivity, specificity }))
    if (!(rate >= 0 && rate <= 1)) statisticInvalid('correctedPassRate', `${name} must lie in 0 to 1, not ${rate}`)
  const informed = sensitivity + specificity - 1
  return informed <= 0 ? null : Math.min(1, Math.max(0, (observed + specificity - 1) / informed))
}

/** A share, and the number of independent observations that it is worth. */
export interface ObservedShare {
  readonly share: number
  readonly observations: number
}

/**
 * The interval of a pass rate that was corrected for a judge that errs, where its sensitivity and specificity are estimates
 * too: Lang and Reiczigel 2014, Preventive Veterinary Medicine 113:13, by the delta method on estimates that are moved
 * towards the middle.
 *
 * @returns `null` where the judge may be no better than chance
 */
export function correctedRateInterval(
  observed: ObservedShare,
  sensitivity: ObservedShare,
  specificity: ObservedShare,
  level: number,
): Interval | null {
  const z = normalQuantile((1 + level) / 2)
  const rate = adjusted(observed, (z * z) / 2)
  const [found, left] = [adjusted(sensitivity, 1), adjusted(specificity, 1)]
  const informed = found.share + left.share - 1
  if (informed <= 0) return null
  const prevalence = (rate.share + left.share - 1) / informed
  const shift = 2 * z * z * (prevalence * found.variance - (1 - prevalence) * left.variance)
  const variance = rate.variance + found.variance * prevalence ** 2 + left.variance * (1 - prevalence) ** 2
  const half = (z * Math.sqrt(variance)) / informed
  const within = (bound: number) => Math.min(1, Math.max(0, bound))
  return {
    low: within(prevalence + shift - half),
    high: within(prevalence + shift + half),
    level,
    method: 'lang-reiczigel',
  }
}

/** With `more` further observations of either kind. */
function adjusted({ share, observations }: ObservedShare, more: number) {
  const n = observations + 2 * more
  const moved = (share * observations + more) / n
  return { share: moved, variance: (moved * (1 - moved)) / n }
}
