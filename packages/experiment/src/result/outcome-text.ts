import { counted, grouped } from './amounts.js'
import { type BriefTrial, failedByError, trialEnvironmentProblem } from './trial-brief.js'
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
 * How many trials failed where the machine may be to blame, with what the first of them lacked and the command that shows
 * it; `''` when none did. It holds untrusted text: escape it for the place.
 *
 * @param runId the run of the trials
 *
 * @example
 * environmentText(briefTrials(result), result.id) // '3 fails may be the machine's: sh: 1: pnpm: not found (jurist show …)'
 */
export function environmentText(trials: Iterable<BriefTrial>, runId: string): string {
  let first: { readonly trial: BriefTrial; readonly problem: string } | undefined
  let count = 0
  for (const trial of trials) {
    const problem = trialEnvironmentProblem(trial)
    if (problem === null) continue
    first ??= { trial, problem: problem.replace(/\s+/g, ' ').trim() }
    count += 1
  }
  if (first === undefined) return ''
  const { itemId, repetition } = first.trial
  const place = `${itemId}#${repetition}`
  const word = /^[\w.@:/#-]+$/.test(place) ? place : `'${place.replaceAll("'", `'\\''`)}'`
  return `${counted(count, 'fail')} may be the machine's: ${first.problem} (jurist show ${runId} ${word})`
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
