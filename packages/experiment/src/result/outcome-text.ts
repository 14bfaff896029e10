import { counted, grouped } from './amounts.js'
import { type BriefTrial, failedByError } from './trial-brief.js'
import { outcomeCounts, undecidedCause } from './trial-outcome.js'

/**
 * How the trials failed that were decided and did not pass; `''` when none did.
 *
 * @example
 * failureText(briefTrials(result)) // '3 failed, 1 timed out, 1 agent error'
 */
export function failureText(trials: Iterable<BriefTrial>): string {
  const all = [...trials]
  const { fail, timeout, error } = outcomeCounts(all)
  const broken = all.filter(failedByError).length
  const why = broken === 0 ? '' : ` (${grouped(broken)} of them because judges broke, not by what the agent did)`
  return [
    ...(fail > 0 ? [`${grouped(fail)} failed${why}`] : []),
    ...(timeout > 0 ? [`${grouped(timeout)} timed out`] : []),
    ...(error > 0 ? [counted(error, 'agent error')] : []),
  ].join(', ')
}

/**
 * Which planned trials are in no rate, and why; `''` when every one was decided.
 *
 * @example
 * undecidedText(briefTrials(result), 12) // '2 undecided: judge error 1, cancelled 1; 3 not run'
 */
export function undecidedText(trials: readonly BriefTrial[], planned: number): string {
  const causes = new Map<string, number>()
  let undecided = 0
  for (const trial of trials) {
    const cause = undecidedCause(trial)
    if (cause === null) continue
    undecided += 1
    causes.set(cause, (causes.get(cause) ?? 0) + 1)
  }
  const why = [...causes].map(([cause, count]) => `${cause} ${grouped(count)}`).join(', ')
  const notRun = Math.max(0, planned - trials.length)
  return [
    ...(undecided > 0 ? [`${grouped(undecided)} undecided: ${why}`] : []),
    ...(notRun > 0 ? [`${grouped(notRun)} not run`] : []),
  ].join('; ')
}
