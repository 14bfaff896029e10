import { checkOptions, option } from '../options.js'
import type { OnError } from './aggregation.js'
import { tally } from './aggregation.js'
import type { Vote } from './vote.js'
import { defaultOnError, onErrorRule, voteBy } from './vote.js'

export interface ConsensusOptions {
  /** What disagreement is. Default `'fail'`. */
  readonly onMixed?: 'fail' | 'abstain'
  /** Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error had said. */
  readonly onError?: OnError
}

/**
 * Passes when every eligible judge passed, fails when every one failed. Counts statuses, not scores.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * jury({ judges: { build, tests }, vote: consensus() })
 */
export function consensus(options?: ConsensusOptions): Vote {
  const { onMixed = 'fail', onError = defaultOnError } = checkOptions('consensus', options, {
    onMixed: option.oneOf('fail', 'abstain'),
    onError: onErrorRule,
  })
  return voteBy({
    name: 'consensus',
    options: { onMixed, onError },
    decide: (_, counts) => {
      const reasoning = tally(counts)
      if (counts.failCount === 0) return { status: 'pass', reasoning }
      return counts.passCount === 0 ? { status: 'fail', reasoning } : { status: onMixed, reasoning }
    },
  })
}

/** Everything must pass: `consensus` under the name people look for, with the same options. */
export function allMustPass(options?: ConsensusOptions): Vote {
  return consensus(options)
}
