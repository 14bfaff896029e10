import { join } from 'node:path'
import { type Soon, soon } from '@jurist/core/internal'
import { longestTimerMs } from '@jurist/kit/timers'
import { type TrialJournal, trialJournal } from '../journal/trial-journal.js'
import type { ItemFailure } from '../result/records.js'
import type { Attempt, Attempted, PriorAttempt, Setup, Turn } from './attempt.js'
import type { Bench } from './bench.js'
import { giveBack } from './give-back.js'
import { isRetried, retryDelay } from './infrastructure.js'
import { now } from './instant.js'
import { setUp } from './set-up.js'
import type { Stopping } from './stopping.js'
import { takeTurn } from './take-turn.js'
import { type Trial, trialName } from './trial.js'

/**
 * Sets a trial up and calls the agent, again as long as the surroundings fail and attempts are left, each time with a
 * fresh workspace. Gives the attempt that counts; its lease is the caller's.
 */
export function attemptTrial(bench: Bench, trial: Trial): Soon<Attempted> {
  return attemptsFrom({ bench, trial, journal: journalOf(bench, trial) }, [])
}

function attemptsFrom(
  tried: Pick<Attempt, 'bench' | 'trial' | 'journal'>,
  failed: readonly PriorAttempt[],
): Soon<Attempted> {
  const { bench, trial, journal } = tried
  const number = failed.length + 1
  const begun = { bench, trial, journal, number, failed, startedAt: now(), startedMs: performance.now() }
  return soon(attempt(begun), (attempted) => {
    const failure = failureToRetry(attempted)
    return failure === null
      ? attempted
      : putAway(attempted, failure).then((prior) => attemptsFrom(tried, [...failed, prior]))
  })
}

/** Puts an attempt away, and waits until the next one is due. */
async function putAway(attempted: Attempted, failure: ItemFailure): Promise<PriorAttempt> {
  const { bench, trial, journal, number, setup, turn } = attempted
  const { itemId, repetition } = trial
  if (setup.lease !== null) await giveBack(bench, trial, setup.lease)
  const durationMs = performance.now() - attempted.startedMs
  const { usage, costUsd = null } = turn.invocation ?? {}
  const delayMs = retryDelay(number, bench.settings.retries, askedDelay(turn))
  bench.tell({ type: 'item-retry', itemId, repetition, attempt: number, failure, delayMs })
  if (!journal.isEmpty()) journal.record({ type: 'custom', name: 'attempt', data: { attempt: number + 1 } })
  await pause(delayMs, bench.stopping)
  return { failure, durationMs, costUsd, usage }
}

function attempt(begun: Attempt): Soon<Attempted> {
  const { bench, trial, journal, number, failed, startedAt, startedMs } = begun
  bench.tell({ type: 'item-start', itemId: trial.itemId, repetition: trial.repetition, attempt: number })
  return soon(setUp(begun), (setup) =>
    soon(setup.lease === null ? noTurn(setup) : takeTurn(begun, setup.lease), (turn) => {
      return { bench, trial, journal, number, failed, startedAt, startedMs, setup, turn }
    }),
  )
}

function noTurn({ outcome }: Setup): Turn {
  return { invocation: null, outcome: outcome ?? 'setup-error', failure: null, touched: false, agentMs: 0 }
}

/** The failure that is worth another attempt. A timeout of the agent never is. */
function failureToRetry({ bench, setup, turn, number }: Attempted): ItemFailure | null {
  const failure = setup.failure ?? turn.failure
  const failedEarly = turn.outcome === 'error' || turn.outcome === 'setup-error'
  if (failure === null || !failedEarly || !isRetried(failure)) return null
  return number < bench.settings.retries.attempts && bench.stopping.cancelled === null ? failure : null
}

/** What the other side asked for, where the agent passes it on. */
function askedDelay({ invocation }: Turn): number {
  const asked = invocation?.metadata?.['retryAfterMs']
  return typeof asked === 'number' && Number.isFinite(asked) ? Math.max(0, asked) : 0
}

/** Waits, unless the run is cancelled. */
function pause(ms: number, stopping: Stopping): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      release()
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, longestTimerMs))
    const release = stopping.cancelled === null ? stopping.onCancel(end) : () => {}
    if (stopping.cancelled !== null) end()
  })
}

function journalOf({ settings, directory, runId, tell, warn }: Bench, trial: Trial): TrialJournal {
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
