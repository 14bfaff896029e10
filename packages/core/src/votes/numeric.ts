import { checkOptions, option } from '../options.js'
import { besideThreshold, meets } from '../score.js'
import type { EligibleBallot, OnError } from './aggregation.js'
import type { Vote } from './vote.js'
import { defaultOnError, onErrorRule, voteBy } from './vote.js'

/** Options of the votes that read scores. */
export interface NumericVoteOptions {
  /** The score that passes, inclusive, within [0, 1]. Default 0.5. */
  readonly threshold?: number
  /** Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same with the errors at 0, at 1 and left out. */
  readonly onError?: OnError
  /** Fewer eligible judges than this abstain; where it depends on an error whether there are enough, the vote is an ERROR. Default 1. */
  readonly minEligible?: number
}

/**
 * A vote on one number made of the eligible scores: passes when it meets the threshold, whatever the statuses say.
 */
export function numericVote(
  name: 'average' | 'weightedAverage' | 'median',
  options: NumericVoteOptions | undefined,
  measure: (eligible: readonly EligibleBallot[]) => number,
): Vote {
  const {
    threshold = 0.5,
    onError = defaultOnError,
    minEligible = 1,
  } = checkOptions(name, options, { threshold: option.rate, onError: onErrorRule, minEligible: option.integer(1) })
  return voteBy({
    name,
    options: { threshold, onError, minEligible },
    decide: (eligible) => {
      const score = measure(eligible)
      const [shown, bar] = besideThreshold(score, threshold)
      return {
        status: meets(score, threshold) ? 'pass' : 'fail',
        score,
        reasoning: `${name} ${shown} of ${eligible.length}, threshold ${bar}`,
      }
    },
  })
}
