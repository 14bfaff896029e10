import { checkCounts, statisticInvalid } from './invalid.js'

/**
 * How likely at least one of `k` trials passes, when `c` of `n` did: 1 − C(n−c, k)/C(n, k), the unbiased estimator of
 * Chen et al. 2021 (HumanEval).
 *
 * @returns `null` when k > n
 * @throws `statistic-invalid` for negative counts and c > n
 */
export function passAtK(n: number, c: number, k: number): number | null {
  checkTrials('passAtK', n, c, k)
  return k > n ? null : 1 - shareOfDraws(n - c, n, k)
}

/**
 * How likely all of `k` trials pass, when `c` of `n` did: C(c, k)/C(n, k), the estimator of Yao et al. 2024 (tau-bench).
 *
 * @returns `null` when k > n
 * @throws `statistic-invalid` for negative counts and c > n
 */
export function passHatK(n: number, c: number, k: number): number | null {
  checkTrials('passHatK', n, c, k)
  return k > n ? null : shareOfDraws(c, n, k)
}

function checkTrials(statistic: string, n: number, c: number, k: number): void {
  checkCounts(statistic, { n, c, k })
  if (c > n) statisticInvalid(statistic, `c must not exceed n, but ${c} of ${n} were given`)
}

/** C(some, k)/C(all, k) as a product of fractions: no factor leaves [0, 1], so nothing overflows. */
function shareOfDraws(some: number, all: number, k: number): number {
  if (some < k) return 0
  let share = 1
  for (let drawn = 0; drawn < k; drawn += 1) share *= (some - drawn) / (all - drawn)
  return share
}
