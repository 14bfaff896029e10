/** Lanczos 1964 with g = 7 and nine coefficients, as computed by Godfrey 2001: about 15 digits. */
const coefficients: readonly number[] = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 0.000009984369578019572, 1.5056327351493116e-7,
]

/** The natural logarithm of the gamma function, for x > 0. */
export function logGamma(x: number): number {
  if (x < 0.5) return logGamma(x + 1) - Math.log(x)
  const shifted = x + 6.5
  const series = coefficients.reduce((sum, coefficient, index) =>
    index === 0 ? coefficient : sum + coefficient / (x - 1 + index),
  )
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(series)
}

/** The logarithm of the number of ways to choose `k` of `n`. */
export function logWays(n: number, k: number): number {
  return k < 0 || k > n ? Number.NEGATIVE_INFINITY : logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)
}

/**
 * The regularised incomplete beta function I_x(a, b) for a, b > 0: the probability that a value of the beta distribution
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

/** The quantile of the beta distribution for 0 < p < 1: by bisection, down to neighbouring numbers. */
export function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let x = 0.5; x > low && x < high; x = (low + high) / 2) {
    if (incompleteBeta(x, a, b) < p) low = x
    else high = x
  }
  return high
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

/**
 * The quantile of the standard normal distribution, for 0 < p < 1, to about 16 digits.
 * Wichura 1988, Algorithm AS 241 (PPND16), Applied Statistics 37:477.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (q * polynomial(centre.over, r)) / polynomial(centre.under, r)
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p))
  const [part, offset] = r <= 5 ? [near, 1.6] : [far, 5]
  const size = polynomial(part.over, r - offset) / polynomial(part.under, r - offset)
  return q < 0 ? -size : size
}

/** Coefficients of a rational function, of the lowest power first. */
interface Rational {
  readonly over: readonly number[]
  readonly under: readonly number[]
}

const centre: Rational = {
  over: [
    3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987, 67265.7709270087,
    33430.57558358813, 2509.0809287301227,
  ],
  under: [
    1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
    28729.085735721943, 5226.495278852854,
  ],
}

const near: Rational = {
  over: [
    1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
    0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
  ],
  under: [
    1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
    0.0005475938084995345, 1.0507500716444169e-9,
  ],
}

const far: Rational = {
  over: [
    6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
    0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
  ],
  under: [
    1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133, 0.000018463183175100548,
    1.421511758316446e-7, 2.0442631033899397e-15,
  ],
}

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((sum, coefficient) => sum * x + coefficient, 0)
}

/**
 * The probability that a standard normal value exceeds `z`. Near the middle the series of Abramowitz and Stegun 26.2.11, in
 * the tail their continued fraction 26.2.14, so that small probabilities keep their digits.
 */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z)
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
  if (z >= middle) return density / continuedFraction(z)
  let [term, sum] = [z, z]
  for (let odd = 3; term > sum * 1e-17; odd += 2) {
    term *= (z * z) / odd
    sum += term
  }
  return 0.5 - density * sum
}

const middle = 3

/** z + 1/(z + 2/(z + 3/(z + …))), from the end: from 3 on this many fractions settle all digits. */
function continuedFraction(z: number): number {
  let value = z
  for (let depth = 200; depth >= 1; depth -= 1) value = z + depth / value
  return value
}

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
  const y = betaQuantile(2 * p - 1, 0.5, degreesOfFreedom / 2)
  return Math.sqrt((degreesOfFreedom * y) / (1 - y))
}

/** The probability that a value of Student's t distribution is at most `t`. */
export function studentTProbability(t: number, degreesOfFreedom: number): number {
  const within = incompleteBeta((t * t) / (degreesOfFreedom + t * t), 0.5, degreesOfFreedom / 2)
  return t < 0 ? (1 - within) / 2 : (1 + within) / 2
}
