import { incompleteBeta } from './incomplete-beta.js'

/**
 * The quantile of Student's t distribution for 0 < p < 1.
 *
 * The probability of |T| ≤ t is the regularised incomplete beta function I_y(1/2, n/2) at y = t²/(n + t²) (NIST
 * Handbook of Mathematical Functions, DLMF 8.17; Abramowitz and Stegun 26.7.1). y is found by bisection, which the
 * monotone function always allows, down to neighbouring numbers.
 *
 * @param degreesOfFreedom above 0
 */
export function studentTQuantile(p: number, degreesOfFreedom: number): number {
  if (p === 0.5) return 0
  if (p < 0.5) return -studentTQuantile(1 - p, degreesOfFreedom)
  const within = 2 * p - 1
  let [low, high] = [0, 1]
  for (let y = 0.5; y > low && y < high; y = (low + high) / 2) {
    if (incompleteBeta(y, 0.5, degreesOfFreedom / 2) < within) low = y
    else high = y
  }
  return Math.sqrt((degreesOfFreedom * low) / (1 - low))
}

/** The probability that a value of Student's t distribution is at most `t`. */
export function studentTProbability(t: number, degreesOfFreedom: number): number {
  const within = incompleteBeta((t * t) / (degreesOfFreedom + t * t), 0.5, degreesOfFreedom / 2)
  return t < 0 ? (1 - within) / 2 : (1 + within) / 2
}
