import { incompleteBeta } from './incomplete-beta.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/**
 * The exact upper bound of an error rate when `k` of `n` were wrong: with probability 1 − `delta` at least, the true rate
 * is not above it (Clopper and Pearson 1934, one-sided).
 *
 * @param delta the risk of being wrong about that, in (0, 1)
 * @returns 1 when all were wrong, and when nothing was counted: anything may be true then
 * @throws `statistic-invalid` for negative counts, k > n, a `delta` outside (0, 1)
 *
 * @example
 * clopperPearsonUpper(10, 100, 0.1) // 0.150, rounded
 */
export function clopperPearsonUpper(k: number, n: number, delta: number): number {
  checkCounts('clopperPearsonUpper', { k, n })
  checkLevel('clopperPearsonUpper', delta, 'delta')
  if (k > n) statisticInvalid('clopperPearsonUpper', `k must not exceed n, but ${k} of ${n} were given`)
  if (k === n) return 1
  // The chance of at most k errors at rate p is 1 − I_p(k + 1, n − k), which falls with p: bisection always ends.
  let [low, high] = [k / n, 1]
  for (let p = (low + high) / 2; p > low && p < high; p = (low + high) / 2) {
    if (incompleteBeta(p, k + 1, n - k) < 1 - delta) low = p
    else high = p
  }
  return high
}
