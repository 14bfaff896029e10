import type { NumericVoteOptions } from './numeric.js'
import { numericVote } from './numeric.js'
import type { Vote } from './vote.js'

/**
 * Passes when the median of the eligible scores meets the threshold; of an even number it is the mean of the middle
 * two.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * jury({ judges: { a, b, c }, vote: median({ threshold: 0.6 }) })
 */
export function median(options?: NumericVoteOptions): Vote {
  return numericVote('median', options, (eligible) => {
    const scores = eligible.map(({ score }) => score).sort((a, b) => a - b)
    const upper = scores[Math.floor(scores.length / 2)] ?? 0
    const lower = scores[Math.ceil(scores.length / 2) - 1] ?? 0
    return (lower + upper) / 2
  })
}
