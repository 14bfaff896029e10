import { average, consensus, majority, median, plurality, type Vote, weightedAverage } from '@jurist/core'
import type { BallotVerdict, VoteOptions } from '../answers/ballots.js'
import { type JurySettings, type VoteName, voteNames } from './settings.js'

/** The options that each vote knows, with its defaults; `null` for one that is not given by default. */
const defaults: { readonly [name in VoteName]: VoteOptions } = {
  majority: { onTie: 'fail' },
  plurality: { passes: null, onTie: 'fail', minEligible: 1 },
  consensus: { onMixed: 'fail' },
  average: { threshold: 0.5, minEligible: 1 },
  weightedAverage: { threshold: 0.5, minEligible: 1 },
  median: { threshold: 0.5, minEligible: 1 },
}

const makers: { readonly [name in VoteName]: (options: object) => Vote } = {
  majority,
  plurality,
  consensus,
  average,
  weightedAverage,
  median,
}

/** A vote by its name; `undefined` for one of somebody's own. */
export function voteNamed(strategy: string | undefined): VoteName | undefined {
  return voteNames.find((name) => name === strategy)
}

/**
 * The options with which a vote is cast: those it had, as far as the vote that is asked for knows them, and of what it
 * did not have the defaults.
 *
 * @param had what the stored verdict says
 */
export function keptOptions(vote: VoteName, had: VoteOptions = {}): VoteOptions {
  const { onError = 'propagate-if-decisive' } = had
  const own = Object.entries(defaults[vote]).flatMap(([name, otherwise]) => {
    const value = had[name] ?? otherwise
    return value === null ? [] : [[name, value]]
  })
  return { ...Object.fromEntries(own), onError }
}

/** The vote of a stored verdict with something changed and everything else kept; `undefined` where it is not known. */
export function voteAgain(
  { strategy, options }: Pick<BallotVerdict, 'strategy' | 'options'>,
  settings: JurySettings,
): Vote | undefined {
  const vote = settings.vote ?? voteNamed(strategy)
  if (vote === undefined) return undefined
  const { threshold, onError } = settings
  const changed = {
    ...(threshold === undefined || !('threshold' in defaults[vote]) ? {} : { threshold }),
    ...(onError === undefined ? {} : { onError }),
  }
  return makers[vote]({ ...keptOptions(vote, options), ...changed })
}
