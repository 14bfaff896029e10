import { flatten, type UserPart } from '@jurist/core'
import { shellWord } from '@jurist/kit/shell-word'
import { counted, grouped } from './amounts.js'
import { decidingReason, withPlace } from './deciding-judge.js'
import { failureEvidence } from './evidence.js'
import type { AgentOutcome, ItemResult, JudgedOutcome } from './records.js'
import { failedByError, judgeTimedOut, trialEnvironmentProblem } from './trial-evidence.js'
import { type RunResult, type Trial, trialsOf, trialText } from './trial-figures.js'

/**
 * Whether a trial counts as passed. `null`: nothing was decided, and the trial is in no rate.
 *
 * @param infrastructure whether the failure that decided comes from the environment and not from the agent
 * @param userAtFault whether the simulated user of a conversation made a mistake, so that nothing is known of the agent
 *
 * @example
 * import { passedOf } from '@jurist/experiment/result'
 *
 * passedOf('completed', 'fail', false) // false
 * passedOf('error', 'not-judged', true) // null
 * passedOf('error', 'fail', true) // null
 */
export function passedOf(
  agent: AgentOutcome,
  judged: JudgedOutcome,
  infrastructure: boolean,
  userAtFault = false,
): boolean | null {
  if (userAtFault && agent === 'completed') return null
  switch (judged) {
    case 'pass':
      return true
    case 'fail':
      // A failure of the infrastructure kept the agent from its work, so the fail does not count against the agent.
      return agent === 'error' && infrastructure ? null : false
    case 'abstain':
    case 'error':
      return null
    case 'not-judged':
      return withoutJury(agent, infrastructure)
    default:
      return judged satisfies never
  }
}

export function isUserAtFault(user: UserPart | undefined): boolean {
  return user !== undefined && user.faults.length > 0
}

function withoutJury(agent: AgentOutcome, infrastructure: boolean): false | null {
  switch (agent) {
    case 'timeout':
      return false
    case 'error':
      return infrastructure ? null : false
    case 'completed':
    case 'setup-error':
    case 'cancelled':
      return null
    default:
      return agent satisfies never
  }
}

/** How one trial ended, in one word. */
export type TrialOutcome = 'pass' | 'fail' | 'timeout' | 'error' | 'undecided'

/** All outcomes, the gravest first, undecided last. */
export const outcomes: readonly TrialOutcome[] = ['error', 'timeout', 'fail', 'pass', 'undecided']

/**
 * How a trial ended: the word that every report, table and page shows. A trial without a decision is undecided, whatever
 * its agent did. A timeout differs from other failures, whether the agent ran out of time or a command that a judge ran. An error is the
 * agent's, or that of the judges for which a trial failed.
 *
 * @example
 * import { outcomeOf } from '@jurist/experiment/result'
 * import { anItem } from '@jurist/experiment/testing'
 *
 * outcomeOf(anItem({ agent: 'timeout', judged: 'not-judged', passed: false })) // 'timeout'
 */
export function outcomeOf(trial: Trial): TrialOutcome {
  if (trial.passed === true) return 'pass'
  if (trial.passed === null) return 'undecided'
  if (trial.agent === 'timeout' || judgeTimedOut(trial)) return 'timeout'
  return trial.agent === 'error' || failedByError(trial) ? 'error' : 'fail'
}

/**
 * The reason why a trial is undecided, in a word or two: the outcome of its agent, else that of judging. `null` for a
 * decided trial.
 */
function undecidedCause({ passed, agent, judged, user }: Trial): string | null {
  if (passed !== null) return null
  if (isUserAtFault(user)) return 'user at fault'
  if (agent !== 'completed') return agent
  return judged === 'error' ? 'judge error' : judged
}

export function outcomeCounts(trials: Iterable<Trial>): Readonly<Record<TrialOutcome, number>> {
  const counts = { pass: 0, fail: 0, timeout: 0, error: 0, undecided: 0 }
  for (const trial of trials) counts[outcomeOf(trial)] += 1
  return counts
}

/**
 * Why a trial ended as it did, on one line: its failure, else the judge that decided with the check that shows it. For a
 * pass, the reasoning of the whole jury; for a calibration, that of the scorer. Every report, table and page shows this
 * text, shortened to the space available. It is untrusted: escape it for the place.
 *
 * @example
 * import { reasonOf } from '@jurist/experiment/result'
 * import { anItem } from '@jurist/experiment/testing'
 *
 * reasonOf(anItem({ judged: 'not-judged', passed: null })) // 'not judged'
 */
export function reasonOf(trial: Trial): string {
  return 'verdict' in trial ? reasonOfItem(trial) : trial.reason
}

function reasonOfItem(item: ItemResult): string {
  return item.passed === true ? oneLine(passReason(item)) : oneLine(missReason(item))
}

function passReason({ detail, verdict }: ItemResult): string {
  if (detail?.kind === 'judge') return detail.scorer.reasoning
  return verdict === null ? '' : verdict.aggregated.reasoning
}

function missReason(item: ItemResult): string {
  const { failure, detail, verdict } = item
  if (failure !== null) return withPlace(failure.message, failureEvidence(failure).place)
  if (detail?.kind === 'judge') return detail.scorer.reasoning
  if (verdict !== null) return decidingReason(verdict)
  const cause = undecidedCause(item)
  return cause === null || cause === 'not-judged' ? 'not judged' : cause
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** How the trials failed that were decided and did not pass; `''` when none did. */
export function failureText(trials: Iterable<Trial>): string {
  const all = [...trials]
  const { fail, timeout, error } = outcomeCounts(all)
  const broken = all.filter((trial) => trial.agent !== 'error' && outcomeOf(trial) === 'error').length
  const why = broken === 0 ? '' : ` (${grouped(broken)} of them because judges broke, not by what the agent did)`
  return [
    ...(fail + broken > 0 ? [`${grouped(fail + broken)} failed${why}`] : []),
    ...(timeout > 0 ? [`${grouped(timeout)} timed out`] : []),
    ...(error > broken ? [counted(error - broken, 'agent error')] : []),
  ].join(', ')
}

/**
 * How many trials failed where the machine may be to blame, with what the first of them lacked and the command that shows
 * it; `''` when none did. It holds untrusted text: escape it for the place.
 *
 * @param runId the run of the trials
 * @param jurist what begins a command line where the text is read
 */
export function environmentText(trials: Iterable<Trial>, runId: string, jurist = 'jurist'): string {
  let first: { readonly trial: Trial; readonly problem: string } | undefined
  let count = 0
  for (const trial of trials) {
    const problem = trialEnvironmentProblem(trial)
    if (problem === null) continue
    first ??= { trial, problem: problem.replace(/\s+/g, ' ').trim() }
    count += 1
  }
  if (first === undefined) return ''
  const word = shellWord(trialText(first.trial))
  return `${counted(count, 'fail')} may be the machine's: ${first.problem} (${jurist} show ${runId} ${word})`
}

/** Which planned trials are in no rate, and why; `''` when every one was decided. */
export function undecidedText(trials: readonly Trial[], planned: number): string {
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

/** The text that the reason of such a trial contains, for runs of which only the figures are read. */
const said = 'the tests cannot fail in this workspace'

/** How many trials failed because their tests passed whatever they expected; `''` for none. */
export function testsCannotFailText(run: RunResult): string {
  const count = trialsOf(run).filter((trial) =>
    'verdict' in trial
      ? trial.verdict !== null &&
        flatten(trial.verdict).some(({ judgment }) =>
          judgment.checks.some(({ name, passed }) => name === 'canary' && !passed),
        )
      : trial.reason.includes(said),
  ).length
  if (count === 0) return ''
  const [were, their] = count === 1 ? ['was', 'its'] : ['were', 'their']
  return `${counted(count, 'trial')} ${were} judged fail because ${their} tests could not fail`
}
