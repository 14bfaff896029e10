import { join } from 'node:path'
import { pause } from '@jurist/kit/retry-pause'
import { type TrialJournal, trialJournal } from '../journal/trial-journal.js'
import type { ItemFailure } from '../result/records.js'
import type { Cancellation } from './cancellation.js'
import { now } from './event-log.js'
import { isRetried, retryDelay } from './infrastructure.js'
import { releaseWorkspace } from './release-workspace.js'
import { runAgent } from './run-agent.js'
import {
  type Attempt,
  type Attempted,
  type PriorAttempt,
  type RunContext,
  type Setup,
  type Trial,
  type Turn,
  trialName,
} from './run-context.js'
import { setUp } from './set-up.js'

/** What the attempts at a trial share. */
export interface Attempts {
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
    const attempted = await attempt({
      run,
      trial,
      journal,
      number,
      failed,
      startedAt: now(),
      startedMs,
      controller: controllerOfSteps(),
    })
    const failure = failureToRetry(attempted)
    if (failure === null) return attempted
    failed.push(await endAttempt(attempted, failure, { user: attempted.turn.invocation?.user, verdict: null }))
  }
}

function controllerOfSteps(): () => AbortController {
  let controller = new AbortController()
  return () => {
    if (controller.signal.aborted) controller = new AbortController()
    return controller
  }
}

async function attempt(begun: Attempt): Promise<Attempted> {
  const { run, trial, number } = begun
  run.tell({ type: 'item-start', itemId: trial.itemId, repetition: trial.repetition, attempt: number })
  const setup = await setUp(begun)
  const turn = setup.lease === null ? noTurn(setup) : await runAgent(begun, setup.lease)
  return Object.assign(begun, { setup, turn })
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
