import type { NumericVoteOptions } from './numeric.js'
import { numericVote } from './numeric.js'
import type { Vote } from './vote.js'

/**
 * Passes when the mean of the eligible scores meets the threshold.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * jury({ judges: { style, depth }, vote: average({ threshold: 0.8 }) })
 */
export function average(options?: NumericVoteOptions): Vote {
  return numericVote('average', options, (eligible) => {
    return eligible.reduce((sum, { score }) => sum + score, 0) / eligible.length
  })
}
