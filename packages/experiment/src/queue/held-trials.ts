import { failureOf } from '@jurist/core/internal'
import { patiently } from '../run/queued-run.js'
import type { LeasedTrial, TrialQueue } from '../store/trial-queue.js'
import type { WorkerEvent, WorkerSummary } from './worker-events.js'
import type { WorkerRun } from './worker-run.js'

/** The trials that a worker holds. */
export interface HeldTrials extends Disposable {
  readonly count: number
  /** Runs a trial. */
  start(trial: LeasedTrial, run: WorkerRun): void
  /** Ends the trials that run, and gives them back. */
  leave(reason: string): void
  /** Resolves when a trial has ended, or none runs. */
  next(): Promise<void>
  /** Resolves when none runs. */
  ended(): Promise<void>
  summary(): WorkerSummary
}

interface Held {
  readonly trial: LeasedTrial
  readonly stopping: AbortController
  /** Whether its result is on its way. */
  isStoring: boolean
  /** How it ended: with its lease, or before. `null`: it runs. */
  over: keyof WorkerSummary | null
}

/**
 * Holds trials: their leases are renewed three times within a heartbeat, and a trial whose lease is lost is ended.
 *
 * @param report says to the queue that the worker is there
 */
export function heldTrials(
  queue: TrialQueue,
  report: () => Promise<void>,
  emit: (event: WorkerEvent) => void,
): HeldTrials {
  const running = new Map<Held, Promise<void>>()
  const done = { stored: 0, lost: 0, left: 0 }
  const warn = (message: string) => emit({ type: 'warning', message })
  const beating = everyBeat(
    queue.heartbeatMs / 3,
    () => Promise.all([renew(queue, running.keys(), end), report()]),
    warn,
  )

  function end(held: Held, over: 'lost' | 'left', reason: string): void {
    if (held.over !== null) return
    held.over = over
    emit({ type: 'trial-left', trial: held.trial, reason })
    held.stopping.abort(new Error(reason))
  }
  async function hold(held: Held, run: WorkerRun): Promise<void> {
    emit({ type: 'trial-start', trial: held.trial })
    await perform(held, { queue, run, emit }).catch((thrown) => end(held, 'left', failureOf(thrown).message))
    if (held.over !== null) done[held.over] += 1
    if (held.over === 'left') await queue.giveBack(held.trial.lease).catch((thrown) => warn(failureOf(thrown).message))
  }

  return {
    get count() {
      return running.size
    },
    start(trial, run) {
      const held: Held = { trial, stopping: new AbortController(), isStoring: false, over: null }
      running.set(held, Promise.resolve())
      running.set(
        held,
        hold(held, run).finally(() => running.delete(held)),
      )
    },
    leave(reason) {
      for (const held of running.keys()) end(held, 'left', reason)
    },
    next: () => Promise.race(running.values()),
    async ended() {
      while (running.size > 0) await Promise.all(running.values())
    },
    summary: () => ({ ...done }),
    [Symbol.dispose]: () => clearInterval(beating),
  }
}

interface Performing {
  readonly queue: TrialQueue
  readonly run: WorkerRun
  readonly emit: (event: WorkerEvent) => void
}

/** Runs a trial and stores its result, unless it was given up. */
async function perform(held: Held, { queue, run, emit }: Performing): Promise<void> {
  const { trial, stopping } = held
  const result = await run.perform(trial, stopping.signal)
  if (held.over === null) {
    held.isStoring = true
    const store = () => queue.store(trial.lease, result, run.directory)
    held.over = await patiently(store, (message) => emit({ type: 'warning', message }), stopping.signal)
    emit({ type: 'trial-end', trial, result, stored: held.over })
  }
  await run.clear(result)
}

/** Renews the leases of trials, and ends those that another worker may have. */
async function renew(
  queue: TrialQueue,
  running: Iterable<Held>,
  end: (held: Held, over: 'lost', reason: string) => void,
): Promise<void> {
  const asked = [...running].filter(({ over }) => over === null)
  if (asked.length === 0) return
  const kept = await queue.renew(asked.map(({ trial }) => trial.lease))
  // A trial that was stored meanwhile is no longer held.
  for (const held of asked)
    if (!held.isStoring && !kept.includes(held.trial.lease)) end(held, 'lost', 'Its lease was lost.')
}

/** Does something at an interval, never twice at the same time. A failure is a warning. */
function everyBeat(ms: number, action: () => Promise<unknown>, warn: (message: string) => void): NodeJS.Timeout {
  let isActive = false
  return setInterval(async () => {
    if (isActive) return
    isActive = true
    try {
      await action()
    } catch (thrown) {
      warn(failureOf(thrown).message)
    } finally {
      isActive = false
    }
  }, ms)
}
