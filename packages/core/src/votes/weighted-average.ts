import type { NumericVoteOptions } from './numeric.js'
import { numericVote } from './numeric.js'
import type { Vote } from './vote.js'

/**
 * Passes when the mean of the eligible scores, each as heavy as its seat, meets the threshold. Abstains when the
 * eligible seats weigh nothing.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`, and `weight-invalid` for a weight that is not finite or is
 * negative, or when all are zero
 *
 * @example
 * jury({ judges: { tests: { judge: tests, weight: 3 }, style }, vote: weightedAverage({ threshold: 0.7 }) })
 */
export function weightedAverage(options?: NumericVoteOptions): Vote {
  return numericVote('weightedAverage', options, (eligible) => {
    const heaviest = Math.max(...eligible.map(({ weight }) => weight))
    const share = (weight: number) => weight / heaviest
    const total = eligible.reduce((sum, { weight }) => sum + share(weight), 0)
    return eligible.reduce((sum, { score, weight }) => sum + score * share(weight), 0) / total
  })
}
