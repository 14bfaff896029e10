import { checkOptions, option } from '../options.js'
import type { OnError, Vote } from './vote.js'
import { onErrorRule, tally, voteBy } from './vote.js'

export interface ConsensusOptions {
  /** What disagreement is. Default `'fail'`. */
  readonly onMixed?: 'fail' | 'abstain'
  /** Default `'fail'`. */
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
  const { onMixed = 'fail', onError = 'fail' } = checkOptions('consensus', options, {
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

/** Everything must pass: `consensus()` under the name people look for. */
export function allMustPass(): Vote {
  return consensus()
}
