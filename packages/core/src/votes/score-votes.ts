import { described, option } from '../options.js'
import { besideThreshold, meets } from '../score.js'
import type { Strategy, Vote } from './vote.js'
import {
  type EligibleBallot,
  minEligibleOption,
  type OnError,
  onErrorOption,
  totalWeight,
  voteFactory,
} from './vote.js'

// Every export of this file is a vote: the catalogue, the config, the page and the guide follow from it.

/** Options of the votes on scores. */
export interface ScoreVoteOptions {
  /** The lowest score that passes, within [0, 1]. Default 0.5. */
  readonly threshold?: number
  /** Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same with the errors at 0, at 1 and left out. */
  readonly onError?: OnError
  /**
   * The vote abstains with fewer eligible judges than this. If an error decides whether there are enough, the vote is
   * an ERROR. Default 1.
   */
  readonly minEligible?: number
}

/** Compares only the aggregated score with the threshold; the statuses do not matter. */
function scoreVote(
  name: string,
  passes: string,
  measure: (eligible: readonly EligibleBallot[]) => number,
  weightCounts?: Strategy['counts'],
): (options?: ScoreVoteOptions) => Vote {
  return voteFactory<ScoreVoteOptions>({
    name,
    passes,
    usesWeights: weightCounts !== undefined,
    options: {
      threshold: described(option.rate, 'The score that passes, inclusive.', 0.5),
      onError: onErrorOption,
      minEligible: minEligibleOption,
    },
    strategy: ({ threshold = 0.5 }) => ({
      ...(weightCounts && { counts: weightCounts }),
      decide: (eligible) => {
        const score = measure(eligible)
        const [shown, bar] = besideThreshold(score, threshold)
        const reasoning = `${name} ${shown} of ${eligible.length}, threshold ${bar}`
        return { status: meets(score, threshold) ? 'pass' : 'fail', score, reasoning }
      },
    }),
  })
}

/**
 * Passes when the mean of the eligible scores meets the threshold.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { average, jury, pass } from '@jurist/core'
 *
 * const style = () => pass('tidy', { score: 0.9 })
 * const depth = () => pass('thorough', { score: 0.8 })
 * jury({ judges: { style, depth }, vote: average({ threshold: 0.8 }) })
 */
export const average: (options?: ScoreVoteOptions) => Vote = /* @__PURE__ */ scoreVote(
  'average',
  'the mean meets the threshold',
  (eligible) => eligible.reduce((sum, { score }) => sum + score, 0) / eligible.length,
)

/**
 * Passes when the weighted mean of the eligible scores meets the threshold. Abstains when the weights of the eligible
 * judges are all 0.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`, and `weight-invalid` for a weight that is not finite or is
 * negative, or when all are zero
 *
 * @example
 * import { fileExists, jury, pass, weightedAverage } from '@jurist/core'
 *
 * const style = () => pass('tidy', { score: 0.9 })
 * jury({
 *   judges: { readme: { judge: fileExists('README.md'), weight: 3 }, style },
 *   vote: weightedAverage({ threshold: 0.7 }),
 * })
 */
export const weightedAverage: (options?: ScoreVoteOptions) => Vote = /* @__PURE__ */ scoreVote(
  'weightedAverage',
  'the weighted mean meets the threshold',
  (eligible) => {
    const heaviest = Math.max(...eligible.map(({ weight }) => weight))
    const share = (weight: number) => weight / heaviest
    const total = eligible.reduce((sum, { weight }) => sum + share(weight), 0)
    return eligible.reduce((sum, { score, weight }) => sum + score * share(weight), 0) / total
  },
  (ballots, eligible) => ({ inputWeight: totalWeight(ballots), eligibleWeight: totalWeight(eligible) }),
)

/**
 * Passes when the median of the eligible scores meets the threshold. The median of an even number of scores is the mean
 * of the middle two.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { jury, median, pass } from '@jurist/core'
 *
 * const style = () => pass('tidy', { score: 0.9 })
 * const depth = () => pass('thorough', { score: 0.8 })
 * jury({ judges: { style, depth }, vote: median({ threshold: 0.6 }) })
 */
export const median: (options?: ScoreVoteOptions) => Vote = /* @__PURE__ */ scoreVote(
  'median',
  'the median meets the threshold',
  (eligible) => {
    const scores = eligible.map(({ score }) => score).sort((a, b) => a - b)
    const upper = scores[Math.floor(scores.length / 2)] ?? 0
    const lower = scores[Math.ceil(scores.length / 2) - 1] ?? 0
    return (lower + upper) / 2
  },
)
