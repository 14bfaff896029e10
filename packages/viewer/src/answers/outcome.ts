import type { ItemResult } from '@jurist/experiment/result'

/** What became of a trial, in one word. */
export type Outcome = 'pass' | 'fail' | 'timeout' | 'error' | 'undecided'

/** All outcomes, the gravest first, undecided last. */
export const outcomes: readonly Outcome[] = ['error', 'timeout', 'fail', 'pass', 'undecided']

/** The outcome of a trial: undecided whenever nothing was decided, whatever the agent did. */
export function outcomeOf({ passed, agent }: Pick<ItemResult, 'passed' | 'agent'>): Outcome {
  if (passed === null) return 'undecided'
  if (passed) return 'pass'
  return agent === 'timeout' || agent === 'error' ? agent : 'fail'
}
