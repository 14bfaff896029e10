import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'
import { signFlipTest } from './paired-tests.js'
import { betterPower } from './power.js'

/**
 * The level of one look at hidden items, when at most `looks` looks answer with one bit each and `accepted` of them said yes so far:
 * α · ½^(a + 1) / C(L, a + 1). As long as the answers are the same, an agent that learns nothing else does the same. So the
 * candidate of each look is fixed by the places of the earlier acceptances, of which there are C(L, a + 1) for a look after a of
 * them, and a union bound over all of them is valid for every adaptive agent: together they spend less than `alpha`. The answers
 * are counted as by Blum and Hardt 2015, The Ladder, ICML; the weights are ours.
 *
 * @param input.looks how many looks there are in all
 * @param input.accepted how many of the earlier ones accepted, below `looks`
 * @param input.alpha the chance that any acceptance is false; default 0.05
 * @returns 0 where it is below the smallest number
 * @throws `statistic-invalid`
 *
 * @example
 * import { answerTreeLevel } from '@jurist/experiment/compare'
 *
 * answerTreeLevel({ looks: 20, accepted: 0 }) // 0.00125
 */
export function answerTreeLevel(input: {
  readonly looks: number
  readonly accepted: number
  readonly alpha?: number
}): number {
  const { looks, accepted, alpha = 0.05 } = input
  checkCounts('answerTreeLevel', { looks, accepted })
  checkLevel('answerTreeLevel', alpha, 'alpha')
  if (accepted >= looks) statisticInvalid('answerTreeLevel', `accepted must be below looks (${looks}), not ${accepted}`)
  let level = alpha
  for (let chosen = 0; chosen <= accepted; chosen += 1) level *= (chosen + 1) / (2 * (looks - chosen))
  return level
}

/**
 * How likely one look finds a change that makes `better` of the items better and `worse` of them worse, at a one-sided level: the
 * sum of Bin(d; n, better + worse) · P(b ≥ c(d)) over the items d that differ, where c(d) is the least count with
 * P(Bin(d, ½) ≥ c) ≤ level. Exact for one trial of each item.
 *
 * @param input.items at most 10,000
 * @returns between 0 and 1
 * @throws `statistic-invalid` for values out of range
 *
 * @example
 * import { answerTreeLevel, lookPower } from '@jurist/experiment/compare'
 *
 * const level = answerTreeLevel({ looks: 20, accepted: 0 })
 * lookPower({ items: 200, better: 0.15, worse: 0.05, level }) // 0.522, rounded
 */
export function lookPower(input: {
  readonly items: number
  /** The share of items that become better. */
  readonly better: number
  /** The share of items that become worse. */
  readonly worse: number
  readonly level: number
}): number {
  const { items, better, worse, level } = input
  checkCounts('lookPower', { items })
  if (!(level >= 0 && level < 0.5)) statisticInvalid('lookPower', `level must lie from 0 to below 0.5, not ${level}`)
  return betterPower('lookPower', { items, better, worse, level })
}

/**
 * The one-sided sign-flip probability P(Σ ±|dᵢ| ≥ Σ dᵢ). With differences of one size it is P(Bin(b + w, ½) ≥ b). Where the flips
 * are too many to count, it is Hoeffding's bound (1963, JASA 58:13), which is never too small.
 *
 * @returns at least ½ when the sum is not above 0
 */
export function gainPValue(differences: readonly number[]): number {
  const sum = differences.reduce((total, one) => total + one, 0)
  if (sum <= 0) return 1
  const { method, pValue } = signFlipTest(differences)
  if (method !== 'sign-flip-normal') return pValue / 2
  const squares = differences.reduce((total, one) => total + one ** 2, 0)
  return Math.exp(-(sum ** 2) / (2 * squares))
}
