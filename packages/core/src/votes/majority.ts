import { checkOptions, option } from '../options.js'
import type { OnError, Vote } from './vote.js'
import { onErrorRule, tally, voteBy } from './vote.js'

export interface MajorityOptions {
  /** What an even split is. Default `'fail'`. */
  readonly onTie?: 'pass' | 'fail' | 'abstain'
  /** Default `'fail'`. */
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
  const { onTie = 'fail', onError = 'fail' } = checkOptions('majority', options, {
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
