import { join } from 'node:path'
import type { JsonObject } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject } from '@jurist/core/internal'
import { pause } from '@jurist/kit/retry-pause'
import { type TrialJournal, trialJournal } from '../journal/trial-journal.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import { type Cancellation, interruptedFailure, runStep, type Step } from './cancellation.js'
import { now } from './events.js'
import { isRetried, retryDelay } from './failures.js'
import { runAgent } from './run-agent.js'
import type { Attempt, Attempted, PriorAttempt, RunContext, Setup, Turn } from './run-context.js'
import { releaseWorkspace } from './trial-workspace.js'
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
    const controller = controllerOfSteps(run)
    const attempt: Attempt = { run, trial, journal, number, failed, startedAt: now(), startedMs, controller }
    const setup = await setUp(attempt)
    const turn = setup.lease === null ? noTurn(setup) : await runAgent(attempt, setup.lease)
    const attempted = Object.assign(attempt, { setup, turn })
    const failure = failureToRetry(attempted)
    if (failure === null) return attempted
    failed.push(await endAttempt(attempted, failure, { user: attempted.turn.invocation?.user, verdict: null }))
  }
}

function controllerOfSteps({ controllers }: RunContext): () => AbortController {
  let controller = controllers.take()
  return () => {
    if (controller.signal.aborted) controller = controllers.take()
    return controller
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
      controller: attempt.controller(),
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
