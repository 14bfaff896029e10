import type { ItemResult } from './records.js'
import type { Trial } from './trial-figures.js'

const longest = 120

/**
 * What a trial tried, in the words of its agent (`metadata.tried`): the probe or the mutant of a run in which each repetition
 * of an item tries something else. `undefined` where all try the same.
 */
export function triedIn({ detail }: ItemResult): string | undefined {
  const tried = detail?.kind === 'agent' ? detail.invocation.metadata?.['tried'] : undefined
  return typeof tried === 'string' && tried !== '' ? tried.slice(0, longest) : undefined
}

/** As `triedIn`, of a whole trial or of its figures. */
export function triedOf(trial: Trial): string | undefined {
  return 'detail' in trial ? triedIn(trial) : trial.tried
}
