import { checkOptions, option } from '../options.js'
import type { OnError } from './aggregation.js'
import { tally } from './aggregation.js'
import type { Vote } from './vote.js'
import { defaultOnError, onErrorRule, voteBy } from './vote.js'

export interface MajorityOptions {
  /** What an even split is. Default `'fail'`. */
  readonly onTie?: 'pass' | 'fail' | 'abstain'
  /** Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error had said. */
  readonly onError?: OnError
}

/**
 * Passes when more eligible judges passed than failed. Counts statuses, not scores.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * jury({ judges: { a, b, c }, vote: majority({ onTie: 'abstain' }) })
 */
export function majority(options?: MajorityOptions): Vote {
  const { onTie = 'fail', onError = defaultOnError } = checkOptions('majority', options, {
    onTie: option.oneOf('pass', 'fail', 'abstain'),
    onError: onErrorRule,
  })
  return voteBy({
    name: 'majority',
    options: { onTie, onError },
    decide: (_, counts) => {
      const lead = counts.passCount - counts.failCount
      const reasoning = `${tally(counts)}${lead === 0 ? `: a tie, which counts as ${onTie}` : ''}`
      return { status: lead === 0 ? onTie : lead > 0 ? 'pass' : 'fail', reasoning }
    },
  })
}
