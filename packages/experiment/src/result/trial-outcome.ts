import { type BriefTrial, judgeTimedOut } from './trial-brief.js'

/** How one trial ended, in one word. */
export type TrialOutcome = 'pass' | 'fail' | 'timeout' | 'error' | 'undecided'

/** All outcomes, the gravest first, undecided last. */
export const outcomes: readonly TrialOutcome[] = ['error', 'timeout', 'fail', 'pass', 'undecided']

/**
 * How a trial ended: the word that every report, table and page shows. A trial without a decision is undecided, whatever
 * its agent did. A timeout differs from other failures, whether the agent ran out of time or a command that a judge ran.
 *
 * @example
 * outcomeOf(item) // 'timeout'
 */
export function outcomeOf(trial: BriefTrial): TrialOutcome {
  if (trial.passed === true) return 'pass'
  if (trial.passed === null) return 'undecided'
  if (trial.agent === 'timeout' || judgeTimedOut(trial)) return 'timeout'
  return trial.agent === 'error' ? 'error' : 'fail'
}

/**
 * Why a trial is undecided, in a word or two: how its agent ended, else what the jury said. `null` for a decided trial.
 *
 * @example
 * undecidedCause(item) // 'judge error'
 */
export function undecidedCause({ passed, agent, judged }: BriefTrial): string | null {
  if (passed !== null) return null
  if (agent !== 'completed') return agent
  return judged === 'error' ? 'judge error' : judged
}

/**
 * How many trials have each outcome.
 *
 * @example
 * outcomeCounts(briefTrials(result)).timeout
 */
export function outcomeCounts(trials: Iterable<BriefTrial>): Readonly<Record<TrialOutcome, number>> {
  const counts = { pass: 0, fail: 0, timeout: 0, error: 0, undecided: 0 }
  for (const trial of trials) counts[outcomeOf(trial)] += 1
  return counts
}
