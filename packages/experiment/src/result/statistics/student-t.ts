import { logGamma } from './gamma.js'

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

/** The regularised incomplete beta function I_x(a, b). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  // The fraction converges quickly on this side of the mean; I_x(a, b) = 1 − I_{1−x}(b, a) leads to it.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return (front * betaFraction(x, a, b)) / a
}

const tiny = 1e-300
const precision = 1e-16
const maxTerms = 10_000

/** The continued fraction of DLMF 8.17.22, by the method of Lentz. */
function betaFraction(x: number, a: number, b: number): number {
  const apart = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / apart(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= maxTerms; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / apart(1 + even * d)
    c = apart(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / apart(1 + odd * d)
    c = apart(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) <= precision) break
  }
  return fraction
}
