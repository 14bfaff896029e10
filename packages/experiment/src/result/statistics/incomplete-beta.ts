import { logGamma } from './gamma.js'

/**
 * The regularised incomplete beta function I_x(a, b) for a, b ≥ 1/2: the probability that a value of the beta distribution
 * is at most x (DLMF 8.17).
 */
export function incompleteBeta(x: number, a: number, b: number): number {
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
