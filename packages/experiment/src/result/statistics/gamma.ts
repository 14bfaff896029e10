/** Lanczos 1964 with g = 7 and nine coefficients, as computed by Godfrey 2001: about 15 digits. */
const coefficients: readonly number[] = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 0.000009984369578019572, 1.5056327351493116e-7,
]

/** The natural logarithm of the gamma function, for x ≥ 1/2. */
export function logGamma(x: number): number {
  const shifted = x + 6.5
  const series = coefficients.reduce((sum, coefficient, index) =>
    index === 0 ? coefficient : sum + coefficient / (x - 1 + index),
  )
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(series)
}
