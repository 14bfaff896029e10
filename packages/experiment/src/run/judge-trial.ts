import {
  type ExecutionStatus,
  type Failure,
  flatten,
  type JournalEvent,
  type JsonObject,
  type JudgmentContext,
  JuristError,
  type Jury,
  type ToolStep,
  type UserPart,
  type Verdict,
  verdictFromJson,
  type Workspace,
} from '@jurist/core'
import {
  endsWithin,
  executionStatus,
  executionStatuses,
  failureOf,
  type Held,
  type HeldConversation,
  heldConversation,
  noticesIn,
  openedWhenUsed,
  stepsOfEvents,
  stepsOfExecutions,
} from '@jurist/core/internal'
import { sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import { isKeptFromAgents, reservedKeys } from '../dataset/item-fields.js'
import { bridgeFact, type ExperimentInvocation, sourceTexts } from '../invocation.js'
import { phaseEvents } from '../journal/journal-events.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { ItemFailure, JudgedOutcome } from '../result/records.js'
import { isUserAtFault } from '../result/trial-outcome.js'
import { type Interruption, interruptedFailure, runStep } from './cancellation.js'
import type { TrialPlace } from './events.js'
import type { Attempted, RunContext } from './run-context.js'
import type { Trial } from './trials.js'

/** The parts of a context for a jury. */
interface ContextParts {
  readonly item: DatasetItem
  /** The workspace as the agent left it. */
  readonly workspace: Workspace
  readonly before: Workspace | null
  readonly reference: Workspace | null
  readonly invocation: ExperimentInvocation
  /** Journal events about tools that the agent recorded. Default none. */
  readonly recorded?: readonly JournalEvent[]
  /** ISO 8601. */
  readonly startedAt: string
  /** Wins over that of the item, which wins over the invocation's. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly signal: AbortSignal
}

type Metadata = Readonly<Record<string, unknown>>

/**
 * The context that a jury gets for a trial: the task as its goal, the workspaces, the output, the tool calls and the
 * outcome of the agent, the item's right answer, and metadata. The invocation's metadata of a bridge counts: its
 * `status`, and the text of its `sources` as reference data if the item has no reference data.
 */
export function contextOf(parts: ContextParts): JudgmentContext {
  const { item, workspace, before, reference, invocation, recorded = [], startedAt, signal } = parts
  const { output, turns, elapsedMs, failure } = invocation
  const toolSteps = toolStepsOf(invocation, recorded)
  const referenceData = item.referenceData.length > 0 ? item.referenceData : sourceTexts(invocation.metadata)
  return Object.freeze({
    goal: item.task,
    workspace,
    status: statusOf(invocation),
    startedAt,
    metadata: metadataOf(parts),
    signal,
    ...(output && { agentOutput: output }),
    ...(turns && { turns }),
    ...(toolSteps && { toolSteps }),
    ...(elapsedMs !== undefined && { executionMs: elapsedMs }),
    ...(failure && { failure }),
    ...(item.expectedOutput && { expectedOutput: item.expectedOutput }),
    ...(item.expectedAnyOf && { expectedAnyOf: true as const }),
    ...(referenceData.length > 0 && { referenceData }),
    ...(before && { before }),
    ...(reference && { reference }),
  })
}

/** The status that judges see: the one that a bridge recorded, otherwise the invocation's own. */
export function statusOf({ status, metadata }: ExperimentInvocation): ExecutionStatus {
  const recorded = bridgeFact(metadata, 'status')
  return executionStatus.holds(recorded) ? (recorded as ExecutionStatus) : executionStatuses[status]
}

function metadataOf({ item, invocation, metadata = {} }: ContextParts): Metadata {
  const merged: Record<string, unknown> = {}
  copyFree(invocation.metadata, merged, isKeptFromAgents)
  copyFree(item.metadata, merged, (key) => reservedKeys.has(key))
  Object.assign(merged, metadata)
  merged['itemId'] = item.id
  merged['itemSlug'] = item.slug
  merged['bucket'] = item.bucket
  merged['taskType'] = item.taskType
  merged['tags'] = item.tags
  merged['noChange'] = item.noChange
  if (item.testsLock !== undefined) merged['testsLock'] = item.testsLock
  // Rarely needed, and `delete` deoptimizes the object.
  for (const fact of facts) if (Object.hasOwn(merged, fact)) delete merged[fact]
  return Object.freeze(Object.assign(merged, factsOf(invocation)))
}

const facts = ['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'] as const

/** The metadata about the agent's run that judges get. */
export function factsOf(invocation: ExperimentInvocation): Metadata {
  const known: Record<string, unknown> = {}
  for (const fact of facts) if (invocation[fact] !== undefined) known[fact] = invocation[fact]
  return known
}

/** Copies every key that is not reserved. */
function copyFree(from: Metadata | undefined, to: Record<string, unknown>, isReserved: (key: string) => boolean): void {
  if (from === undefined) return
  for (const [key, value] of Object.entries(from)) if (!isReserved(key)) to[key] = value
}

/**
 * The tool calls of an agent's run: those that a bridge observed, else those that the agent recorded, else the tool uses
 * of its phases. `undefined` if none of them records tools, so that the calls are unknown. A phase with `toolUses: []`
 * records that no tool was called.
 */
export function toolStepsOf(
  invocation: ExperimentInvocation,
  recorded: readonly JournalEvent[],
): readonly ToolStep[] | undefined {
  return observedSteps(invocation) ?? stepsOfEvents(recorded) ?? stepsOfPhases(invocation)
}

/** The tool calls that a bridge observed; `undefined` without one. */
export function observedSteps({ metadata }: ExperimentInvocation): readonly ToolStep[] | undefined {
  return stepsOfExecutions(bridgeFact(metadata, 'toolExecutions'))
}

function stepsOfPhases({ phases = [] }: ExperimentInvocation): readonly ToolStep[] | undefined {
  if (!phases.some(({ toolUses }) => toolUses !== undefined)) return undefined
  return stepsOfEvents(phaseEvents(phases, 'unknown')) ?? []
}

/** The journal events from which tool steps are built. */
export interface ToolEvents {
  readonly add: (event: JournalEvent) => void
  readonly all: () => readonly JournalEvent[]
}

/** Collects the events from which tool steps are built, and drops the others. */
export function toolEvents(): ToolEvents {
  const kept: JournalEvent[] = []
  return {
    add(event) {
      if (isToolEvent(event)) kept.push(event)
    },
    all: () => kept,
  }
}

/** Whether tool steps are built from the event: calls, results, and the model calls that number the turns. */
export function isToolEvent({ type }: JournalEvent): boolean {
  return type === 'tool-call' || type === 'tool-result' || type === 'model-call'
}

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

interface Evidence {
  readonly lease: WorkspaceLease
  readonly invocation: ExperimentInvocation
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

/** The parts of a run that judging uses. */
export type JudgingRun = Pick<RunContext, 'tell' | 'notify' | 'classify' | 'cancellation' | 'recording'>

interface JuryRun {
  readonly place: TrialPlace
  readonly jury: Jury
  readonly timeoutMs: number
  readonly context: (signal: AbortSignal) => JudgmentContext
  /** May replace the context. `null`: the experiment has no such hook. */
  readonly beforeJury: ((context: JudgmentContext) => ReplacedContext | Promise<ReplacedContext>) | null
}

/** A hook may return a new context, nothing, or a promise of either. */
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
 * Audits the simulated user of a judged trial. Every failed trial is audited, and a sample of the passed ones, so that the pass
 * rate is not biased by auditing failures only. `undefined`: the trial is not a conversation.
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
