import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentTask, Invocation, JournalEvent, JsonObject, WritableWorkspace } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject } from '@jurist/core/internal'
import { pause } from '@jurist/kit/retry-pause'
import { withTimeout } from '@jurist/kit/timers'
import { phaseEvents } from '../journal/journal-events.js'
import { type TrialJournal, trialJournal } from '../journal/trial-journal.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import { type Cancellation, interruptedFailure, runStep, type Step, type StepEnd } from './cancellation.js'
import { now } from './events.js'
import { isRetried, retryDelay } from './failures.js'
import { toolEvents } from './judgment-context.js'
import { invocationOf, outcomeOf } from './read-invocation.js'
import type { Attempt, Attempted, PriorAttempt, RunContext, Setup, Turn } from './run-context.js'
import { isRecordedAgent, taskMetadata } from './stored-outputs.js'
import { releaseWorkspace, revocableWorkspace } from './trial-workspace.js'
import { type Trial, trialName } from './trials.js'

/** What the attempts at a trial share. */
interface Attempts {
  readonly journal: TrialJournal
  /** Those that were given up, oldest first. */
  readonly failed: PriorAttempt[]
}

/**
 * The attempts at a trial, before the first one of this process.
 *
 * @param earlier those of other processes
 */
export function beginAttempts(run: RunContext, trial: Trial, earlier: readonly PriorAttempt[]): Attempts {
  return { journal: journalOf(run, trial), failed: [...earlier] }
}

/**
 * Sets a trial up and calls the agent; again, with a fresh workspace, while the infrastructure fails and attempts are left.
 * Returns the attempt that counts. Its workspace is the caller's to release.
 */
export async function attemptTrial(run: RunContext, trial: Trial, { journal, failed }: Attempts): Promise<Attempted> {
  for (;;) {
    const number = failed.length + 1
    const startedMs = performance.now()
    run.tell({ type: 'item-start', itemId: trial.itemId, repetition: trial.repetition, attempt: number })
    const attempt: Attempt = { run, trial, journal, number, failed, startedAt: now(), startedMs }
    const setup = await setUp(attempt)
    const turn = setup.lease === null ? noTurn(setup) : await runAgent(attempt, setup.lease)
    const attempted = Object.assign(attempt, { setup, turn })
    const failure = failureToRetry(attempted)
    if (failure === null) return attempted
    failed.push(await endAttempt(attempted, failure, { user: attempted.turn.invocation?.user, verdict: null }))
  }
}

function noTurn({ outcome }: Setup): Turn {
  return {
    invocation: null,
    outcome: outcome ?? 'setup-error',
    failure: null,
    recorded: [],
    touched: false,
    agentMs: 0,
  }
}

/** Releases the workspace of an attempt that is given up, and waits until the next attempt is due. */
export async function endAttempt(
  attempted: Attempted,
  failure: ItemFailure,
  spent: Pick<PriorAttempt, 'user' | 'verdict'>,
): Promise<PriorAttempt> {
  const { run, trial, journal, number, setup, turn } = attempted
  const { itemId, repetition } = trial
  if (setup.lease !== null) await releaseWorkspace(run, trial, setup.lease)
  const durationMs = performance.now() - attempted.startedMs
  const { usage, costUsd = null } = turn.invocation ?? {}
  const isWaiting = failure.infrastructure
  const delayMs = isWaiting ? retryDelay(number, run.settings.retries, askedDelay(turn)) : 0
  run.tell({ type: 'item-retry', itemId, repetition, attempt: number, failure, delayMs })
  if (!journal.isEmpty()) journal.record({ type: 'custom', name: 'attempt', data: { attempt: number + 1 } })
  await pauseUnlessCancelled(delayMs, run.cancellation)
  return { failure, durationMs, costUsd, usage, ...spent }
}

async function pauseUnlessCancelled(ms: number, cancellation: Cancellation): Promise<void> {
  const controller = new AbortController()
  const release = cancellation.onCancel(() => controller.abort())
  // Only the cancellation of the run ends the pause early; the next attempt notices it.
  await pause(ms, controller.signal).catch(() => {})
  release()
}

/** The failure that is worth another attempt. A timeout of the agent never is. */
function failureToRetry({ run, setup, turn, failed }: Attempted): ItemFailure | null {
  const failure = setup.failure ?? turn.failure
  const failedEarly = turn.outcome === 'error' || turn.outcome === 'setup-error'
  if (failure === null || !failedEarly || !isRetried(failure)) return null
  const number = failed.filter(({ failure }) => failure.origin !== 'user' && failure.code !== 'worker-lost').length + 1
  return number < run.settings.retries.attempts && run.cancellation.cancelled === null ? failure : null
}

/** Whether a conversation whose user was at fault is held again. */
export function retriesUser({ run, failed }: Attempted): boolean {
  const retried = failed.filter(({ failure }) => failure.origin === 'user').length
  return retried < run.settings.retries.user && run.cancellation.cancelled === null
}

/** The delay that a server asked for, where the agent passes it on. */
function askedDelay({ invocation }: Turn): number {
  const asked = invocation?.metadata?.['retryAfterMs']
  return typeof asked === 'number' && Number.isFinite(asked) ? Math.max(0, asked) : 0
}

function journalOf({ settings, directory, runId, tell, warn }: RunContext, trial: Trial): TrialJournal {
  const { itemId, repetition } = trial
  return trialJournal({
    file:
      settings.journal && directory !== null
        ? () => ({
            path: join(directory, 'journal', `${trialName(trial)}.jsonl`),
            header: { experimentName: settings.name, runId, variant: settings.variant, itemId, repetition },
          })
        : null,
    recorded: (event) => tell({ type: 'journal', itemId, repetition, event }),
    warn: (code, message) => warn(code, message, itemId),
  })
}

const noMetadata: JsonObject = Object.freeze({})

/**
 * Provides the workspace of an attempt, places its knowledge and calls `beforeAgent`. Every failure here, a timeout
 * included, is a setup error; a workspace that comes too late is released.
 */
async function setUp(attempt: Attempt): Promise<Setup> {
  const { run, trial, startedMs } = attempt
  const { itemId, repetition } = trial
  const { setupTimeoutMs: timeoutMs, hooks } = run.settings
  run.tell({ type: 'item-phase', itemId, repetition, phase: 'setup' })
  const progress: Progress = { origin: 'setup', metadata: noMetadata }
  const end = await runStep<WorkspaceLease>(
    {
      cancellation: run.cancellation,
      timeoutMs,
      late: `The setup did not end within ${timeoutMs} ms.`,
      abandoned: (lease) => void releaseWorkspace(run, trial, lease),
    },
    (step) => filledWorkspace(attempt, step, progress),
  )
  const { origin, metadata } = progress
  const filled = run.knowledge !== null || hooks.beforeAgent !== undefined
  const setupMs = performance.now() - startedMs
  if (end.type === 'value') return { lease: end.value, outcome: null, failure: null, metadata, filled, setupMs }
  const failure = end.type === 'thrown' ? failureOf(end.thrown) : interruptedFailure(end.interruption, 'setup-timeout')
  const outcome = end.interruption?.by === 'stop' ? 'cancelled' : 'setup-error'
  return { lease: null, outcome, failure: run.classify(failure, origin), metadata, filled, setupMs }
}

/** How far a setup has come, should it fail, and the result of its hook. */
interface Progress {
  origin: ItemFailure['origin']
  metadata: JsonObject
}

async function filledWorkspace({ run, trial }: Attempt, { signal }: Step, progress: Progress): Promise<WorkspaceLease> {
  const { item, repetition } = trial
  const { beforeAgent } = run.settings.hooks
  const lease = await run.provision({ item, repetition, signal })
  try {
    if (run.knowledge !== null) await run.knowledge.placeIn(lease.workspace)
    if (beforeAgent !== undefined) {
      progress.origin = 'hook'
      progress.metadata = hookMetadata(await beforeAgent({ item, repetition, workspace: lease.workspace, signal }))
    }
    return lease
  } catch (thrown) {
    await releaseWorkspace(run, trial, lease)
    throw thrown
  }
}

/**
 * The result of a hook as metadata.
 *
 * @throws `metadata-invalid` if it is not JSON
 */
export function hookMetadata(result: unknown): JsonObject {
  if (result === undefined || result === null) return noMetadata
  const metadata = frozenJson(result, ['the result of the hook'])
  if (!isPlainObject(metadata)) throw new TypeError('A hook must return an object of JSON, or nothing.')
  return metadata as JsonObject
}

const graceMs = 10_000

/**
 * Calls the agent within its time limit. The result is always an invocation: an exception becomes an error, and so does a
 * value that is not an invocation. What the agent returns within 10 seconds after its signal fired counts. When this resolves,
 * the commands that it started through the workspace have ended too.
 */
async function runAgent(attempt: Attempt, lease: WorkspaceLease): Promise<Turn> {
  const { run, trial } = attempt
  const { cancellation } = run
  const { agent } = run.settings
  const timeoutMs = timeoutOf(attempt)
  run.tell({ type: 'item-phase', itemId: trial.itemId, repetition: trial.repetition, phase: 'agent' })
  const revocable = revocableWorkspace(lease)
  const directory = agentDirectory(attempt)
  const recorder = agentRecorder(attempt)
  const startedMs = performance.now()
  const late = `The agent did not end within ${timeoutMs} ms.`
  const end = await runStep({ cancellation, timeoutMs, late, graceMs }, (step) => {
    const { signal } = step
    const record = (event: JournalEvent) => recorder.record(event, step)
    return agent(
      agentTask(attempt, { signal, record }, { workspace: revocable.workspace, runDirectory: directory?.make }),
    )
  })
  const agentMs = performance.now() - startedMs
  recorder.end()
  const running = revocable.revoke()
  if (running.length > 0) await endOf(running, attempt)
  directory?.removeIfEmpty()
  const touched = revocable.touched()
  return turnOf(attempt, end, { agentMs, recorder, touched })
}

/** Milliseconds for the agent: those of the item, else of the experiment. */
function timeoutOf({ run, trial }: Pick<Attempt, 'run' | 'trial'>): number {
  return trial.item.timeoutMs ?? run.settings.itemTimeoutMs
}

/** Passes on what an agent records during its turn. */
interface AgentRecorder {
  /** Interrupts the step when the recorded model calls cost too much. */
  record(event: JournalEvent, step: Step): void
  /** Whether anything was recorded. */
  used(): boolean
  /** What was recorded of tools. */
  toolEvents(): readonly JournalEvent[]
  /** Ends the turn: later events are dropped, with one warning. */
  end(): void
}

/** Passes events on to the journal, and adds up the cost of model calls. */
function agentRecorder({ run, trial, journal }: Attempt): AgentRecorder {
  const { perItemUsd } = run.settings.budget
  const ofTools = toolEvents()
  let costUsd = 0
  let used = false
  let over = false
  let warned = false

  function warnOfLate(): void {
    if (!warned) run.warn('record-late', 'The agent recorded something after its trial.', trial.itemId)
    warned = true
  }

  return {
    used: () => used,
    toolEvents: ofTools.all,
    record(event, step) {
      if (over) return warnOfLate()
      used = true
      const stored = journal.record(event)
      if (stored !== undefined) ofTools.add(stored)
      if (perItemUsd === undefined || event?.type !== 'model-call') return
      costUsd += event.costUsd ?? 0
      if (costUsd > perItemUsd)
        step.interrupt({ by: 'cost', message: `The trial has cost more than ${perItemUsd} US dollars.` })
    },
    end() {
      over = true
    },
  }
}

interface TurnFacts {
  readonly agentMs: number
  readonly recorder: AgentRecorder
  readonly touched: boolean
}

function turnOf(attempt: Attempt, end: StepEnd<Invocation | string>, { agentMs, recorder, touched }: TurnFacts): Turn {
  const { run, journal } = attempt
  const isRecorded = isRecordedAgent(run.settings.agent)
  const given = invocationOf(end, attempt, isRecorded ? undefined : agentMs)
  const isTimed = isRecorded || given.elapsedMs !== undefined
  const invocation = isTimed ? given : Object.freeze({ ...given, elapsedMs: agentMs })
  if (!recorder.used() && invocation.phases !== undefined)
    for (const event of phaseEvents(invocation.phases, run.settings.model ?? 'unknown')) journal.record(event)
  return {
    invocation,
    outcome: outcomeOf(invocation),
    failure: invocation.failure === undefined ? null : run.classify(invocation.failure, 'agent'),
    recorded: recorder.toolEvents(),
    touched,
    agentMs: isRecorded ? (given.elapsedMs ?? 0) : agentMs,
  }
}

async function endOf(commands: readonly Promise<unknown>[], { run, trial }: Attempt): Promise<void> {
  await withTimeout(Promise.allSettled(commands), graceMs, () =>
    run.warn('processes-left', `Commands of the agent did not end within ${graceMs} ms.`, trial.itemId),
  )
}

/** What is made when the agent reads it: most agents never do. */
interface OnDemand {
  readonly workspace: () => WritableWorkspace
  readonly runDirectory: (() => string) | undefined
}

/** The task of an attempt. */
function agentTask(
  { run, trial, number }: Attempt,
  { signal, record }: Pick<AgentTask, 'signal' | 'record'>,
  { workspace, runDirectory }: OnDemand,
): AgentTask {
  const { runId, env } = run
  const { systemPrompt, model, name, variant } = run.settings
  const task = {
    prompt: trial.prompt,
    get workspace() {
      return workspace()
    },
    signal,
    timeoutMs: timeoutOf({ run, trial }),
    env,
    metadata: taskMetadata(trial.item, {
      experimentName: name,
      runId,
      itemId: trial.itemId,
      itemSlug: trial.item.slug,
      repetition: trial.repetition,
      variant,
      attempt: number,
    }),
    ...(trial.item.input && { input: trial.item.input }),
    ...(record && { record }),
    ...(systemPrompt !== null && { systemPrompt }),
    ...(model !== null && { model }),
  }
  if (runDirectory !== undefined) Object.defineProperty(task, 'runDirectory', { enumerable: true, get: runDirectory })
  return Object.freeze(task)
}

/** The directory for an agent's own files, next to the results. */
interface AgentDirectory {
  /** Makes the directory on the first call. */
  readonly make: () => string
  readonly removeIfEmpty: () => void
}

/** The directory that a task offers; `null` if the store keeps no files. */
function agentDirectory({ run, trial }: Attempt): AgentDirectory | null {
  const { directory } = run
  if (directory === null) return null
  let made: string | undefined
  return {
    make() {
      if (made !== undefined) return made
      made = join(directory, 'agent', trialName(trial))
      mkdirSync(made, { recursive: true })
      return made
    },
    removeIfEmpty() {
      if (made === undefined) return
      try {
        rmdirSync(made)
      } catch {
        // The agent has written something: that is what the directory is for.
      }
    },
  }
}
