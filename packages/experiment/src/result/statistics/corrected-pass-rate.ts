import { statisticInvalid } from './invalid.js'

/**
 * What an observed pass rate stands for when the judge errs at known rates (Rogan and Gladen 1978):
 * (observed + specificity − 1)/(sensitivity + specificity − 1), clipped to [0, 1].
 *
 * @param observed the share that the judge passed
 * @param sensitivity the share of what should pass that the judge passes
 * @param specificity the share of what should fail that the judge fails
 * @returns `null` when the judge is no better than chance
 * @throws `statistic-invalid` for a rate outside [0, 1]
 *
 * @example
 * correctedPassRate(0.6, 0.9, 0.8) // 0.571, rounded
 */
export function correctedPassRate(observed: number, sensitivity: number, specificity: number): number | null {
  for (const [name, rate] of Object.entries({ observed, sensitivity, specificity }))
    if (!(rate >= 0 && rate <= 1)) statisticInvalid('correctedPassRate', `${name} must lie in 0 to 1, not ${rate}`)
  const informed = sensitivity + specificity - 1
  return informed <= 0 ? null : Math.min(1, Math.max(0, (observed + specificity - 1) / informed))
}
