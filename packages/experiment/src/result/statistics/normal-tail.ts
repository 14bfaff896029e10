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
