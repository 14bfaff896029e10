import { grouped, pEquals } from '../result/amounts.js'
import { mcnemarExact } from '../result/statistics/paired-tests.js'
import { isUserAtFault } from '../result/trial-outcome.js'
import type { UserFaultComparison } from './comparison.js'
import type { PairedItem } from './pair-trials.js'

/** Counts the simulated users at fault on both sides. */
export interface UserFaultTally {
  add(item: PairedItem): void
  /** `null`: no pair of trials has a simulated user. */
  comparison(alpha: number): UserFaultComparison | null
}

/**
 * Whether simulated users were at fault more often on one side: the exact test of the items on which one side has more of
 * them (McNemar's with one repetition, else the sign test). Their trials drop out undecided, so that a difference between the
 * sides that remain may be one of the users.
 */
export function userFaultTally(): UserFaultTally {
  let [pairs, baseline, candidate, more, fewer] = [0, 0, 0, 0, 0]
  return {
    add({ pairs: trials }) {
      let [before, after] = [0, 0]
      for (const pair of trials) {
        if (pair.before.user === undefined && pair.after.user === undefined) continue
        pairs += 1
        if (isUserAtFault(pair.before.user)) before += 1
        if (isUserAtFault(pair.after.user)) after += 1
      }
      baseline += before
      candidate += after
      if (after > before) more += 1
      if (after < before) fewer += 1
    },
    comparison(alpha) {
      if (pairs === 0) return null
      const pValue = mcnemarExact(more, fewer)
      return { pairs, baseline, candidate, pValue, differs: pValue <= alpha }
    },
  }
}

/** Why no difference is claimed; none where the users do not differ. */
export function userFaultNote(found: UserFaultComparison | undefined): readonly string[] {
  if (found?.differs !== true) return []
  const { pairs, baseline, candidate, pValue } = found
  return [
    `The simulated user was at fault in ${grouped(baseline)} of ${grouped(pairs)} conversations before and in ` +
      `${grouped(candidate)} after (${pEquals(pValue)}, exact): the trials that are left may differ because of the user, so ` +
      'that no difference between the agents is claimed. Make the user better first.',
  ]
}
