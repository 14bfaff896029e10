import {
  type Failure,
  flatten,
  type JsonObject,
  type JudgmentContext,
  JuristError,
  type Jury,
  type UserPart,
  type Verdict,
  verdictFromJson,
} from '@jurist/core'
import {
  endsWithin,
  failureOf,
  type Held,
  type HeldConversation,
  heldConversation,
  noticesIn,
  openedWhenUsed,
} from '@jurist/core/internal'
import { sha256 } from '../dataset/hash.js'
import type { ExperimentInvocation } from '../invocation.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { ItemFailure, JudgedOutcome } from '../result/records.js'
import { isUserAtFault } from '../result/trial-outcome.js'
import { type Interruption, interruptedFailure, runStep } from './cancellation.js'
import type { TrialPlace } from './events.js'
import { contextOf } from './judgment-context.js'
import type { Attempted, RunContext } from './run-context.js'
import type { Trial } from './trials.js'

/** The result of judging a trial. */
export interface Judging {
  readonly judged: JudgedOutcome
  readonly verdict: Verdict | null
  readonly failure: ItemFailure | null
  /** Whether the run was cancelled before the jury had ended. */
  readonly cancelled: boolean
  readonly juryMs: number
}

/** A trial that no jury saw. */
export const notJudged: Judging = Object.freeze({
  judged: 'not-judged',
  verdict: null,
  failure: null,
  cancelled: false,
  juryMs: 0,
})

/** What a jury gets to see. */
interface Evidence {
  readonly lease: WorkspaceLease
  readonly invocation: ExperimentInvocation
  /** The results of hooks. */
  readonly metadata: JsonObject
}

/** Puts a trial before the jury, in its turn. */
export function judgeTrial(attempted: Attempted, jury: Jury, evidence: Evidence): Promise<Judging> {
  const { run, trial } = attempted
  const { itemId, repetition, item } = trial
  const { judgeTimeoutMs: timeoutMs, hooks } = run.settings
  const { beforeJury } = hooks
  const { invocation, lease } = evidence
  return run.judging.run(() =>
    runJury(run, {
      place: { itemId, repetition },
      jury,
      timeoutMs,
      context: (signal) => trialContext(attempted, evidence, signal),
      beforeJury:
        beforeJury === undefined
          ? null
          : (context) => {
              const { workspace } = lease
              return beforeJury({ item, repetition, workspace, invocation, context, signal: context.signal })
            },
    }),
  )
}

function trialContext(
  { run, trial, turn, number, startedAt }: Attempted,
  { lease, invocation, metadata }: Evidence,
  signal: AbortSignal,
): JudgmentContext {
  const { settings, runId, knowledge, kind } = run
  const { item, repetition } = trial
  const { before, reference } = lease
  return contextOf({
    item,
    workspace: openedWhenUsed(() => lease.workspace),
    before,
    reference,
    invocation,
    recorded: turn.recorded,
    startedAt,
    signal,
    metadata: {
      ...metadata,
      ...item.metadata,
      ...settings.metadata,
      experimentName: settings.name,
      runId,
      repetition,
      variant: settings.variant,
      attempt: number,
      ...(kind === 'establish' ? { recordTests: true } : undefined),
      ...(knowledge === null ? undefined : { knowledge: knowledge.manifest }),
    },
  })
}

/** What juries need of their run. */
export type JudgingRun = Pick<RunContext, 'tell' | 'notify' | 'classify' | 'cancellation' | 'recording'>

/** A jury, what it judges, and its limits. */
interface JuryRun {
  readonly place: TrialPlace
  readonly jury: Jury
  readonly timeoutMs: number
  readonly context: (signal: AbortSignal) => JudgmentContext
  /** May replace the context. `null`: there is no such hook. */
  readonly beforeJury: ((context: JudgmentContext) => ReplacedContext | Promise<ReplacedContext>) | null
}

/** What a hook may return to replace the context. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook without a return statement returns void.
type ReplacedContext = JudgmentContext | void

/** Runs a jury. If it throws or takes too long, the trial is undecided: judged `error`. */
export async function runJury(run: JudgingRun, judged: JuryRun): Promise<Judging> {
  const { tell, classify, cancellation, recording } = run
  const { place, jury, timeoutMs, beforeJury } = judged
  tell({ type: 'item-phase', ...place, phase: 'jury' })
  const startedMs = performance.now()
  const late = `The jury did not end within ${timeoutMs} ms.`
  let origin: ItemFailure['origin'] = 'jury'
  const end = await runStep({ cancellation, timeoutMs, late }, async ({ signal }) => {
    endsWithin(signal, timeoutMs)
    let context = judged.context(signal)
    if (beforeJury !== null) {
      origin = 'hook'
      context = (await beforeJury(context)) ?? context
      origin = 'jury'
    }
    return verdictFromJson(await jury.vote(recording.judging(context)))
  })
  const juryMs = performance.now() - startedMs
  if (end.type === 'value') return judgedBy(run, place, recording.locatedVerdict(end.value), juryMs)
  const cancelled = end.interruption?.by === 'stop'
  const failure = end.type === 'thrown' ? failureOf(end.thrown) : juryFailure(end.interruption, timeoutMs)
  return { judged: 'error', verdict: null, failure: classify(failure, origin), cancelled, juryMs }
}

function judgedBy(
  { tell, notify, classify }: JudgingRun,
  place: TrialPlace,
  verdict: Verdict,
  juryMs: number,
): Judging {
  for (const { path, judgment } of flatten(verdict)) {
    tell({ type: 'judgment', ...place, path, judgment })
    for (const notice of noticesIn(judgment.metadata)) notify(notice)
  }
  const { aggregated } = verdict
  const failure = aggregated.status === 'error' ? classify(aggregated.failure, 'jury') : null
  return { judged: aggregated.status, verdict, failure, cancelled: false, juryMs }
}

function juryFailure(interruption: Interruption, timeoutMs: number): Failure {
  if (interruption.by !== 'time') return interruptedFailure(interruption, 'judge-timeout')
  return failureOf(
    new JuristError('judge-timeout', `${interruption.message} Give it more time, or less to do.`, { timeoutMs }),
  )
}

/**
 * The part of the simulated user in a trial that has been judged: a trial that failed is audited, and of those that passed a
 * sample, so that the pass rate is not biased by looking at fails only. `undefined`: the trial is no conversation.
 */
export async function auditUser(attempted: Attempted, judging: Judging): Promise<UserPart | undefined> {
  const held = (attempted.turn.invocation as Held | null)?.[heldConversation]
  const user = await auditedUser(attempted, judging, held)
  for (const notice of held?.notices ?? []) attempted.run.notify(notice)
  return user
}

async function auditedUser(
  { run, trial, turn }: Attempted,
  { judged }: Judging,
  { audit, ofPassed = 0 }: Partial<HeldConversation> = {},
): Promise<UserPart | undefined> {
  const user = turn.invocation?.user
  if (user === undefined || audit === undefined) return user
  if (!(judged === 'fail' || (judged === 'pass' && isSampled(trial, ofPassed)))) return user
  const { cancellation, settings } = run
  const { judgeTimeoutMs: timeoutMs } = settings
  const late = `The audit of the user did not end within ${timeoutMs} ms.`
  const end = await runStep({ cancellation, timeoutMs, late }, ({ signal }) => audit(signal))
  if (end.type === 'value') return end.value
  const reason = end.type === 'thrown' ? failureOf(end.thrown).message : end.interruption.message
  run.warn('user-audit-failed', `The user was not audited: ${reason}`, trial.itemId)
  return user
}

/** The same trials in every run and every variant. */
function isSampled({ itemId, repetition }: Trial, share: number): boolean {
  const draw = Number.parseInt(sha256(`${itemId}\n${repetition}`).slice(0, 8), 16) / 2 ** 32
  return draw < share
}

/** The failure of a trial whose simulated user made a mistake; `null` for any other. */
export function userFailure(user: UserPart | undefined): ItemFailure | null {
  if (user === undefined || !isUserAtFault(user)) return null
  const faults = user.faults.map(
    ({ name, turn, message }) => `${name}${turn === 0 ? '' : ` (message ${turn})`}: ${message}`,
  )
  return Object.freeze({
    name: 'UserFault',
    code: 'user-at-fault',
    message: `The user was at fault: ${faults.join('; ')}`,
    origin: 'user',
    infrastructure: false,
  })
}
