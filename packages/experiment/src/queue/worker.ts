import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { checkRequired, failureOf, option } from '@jurist/core/internal'
import { pause } from '@jurist/kit/retry-pause'
import { temporaryDirectory } from '@jurist/workspace/internal'
import { gitState } from '../dataset/git-state.js'
import type { ExperimentOptions } from '../run/experiment.js'
import { patiently } from '../run/queued-run.js'
import type { LeasedTrial, TrialQueue, WorkerReport } from '../store/trial-queue.js'
import type { WorkerEvent, WorkerSummary } from './worker-events.js'
import { type JoinedRuns, joinedRuns, type WorkerRun } from './worker-run.js'

/** How a worker works. */
export interface WorkerOptions {
  readonly queue: TrialQueue
  /** The experiments whose runs it takes part in. */
  readonly experiments: readonly ExperimentOptions[]
  /** How many trials it runs at a time. Default 4. */
  readonly concurrency?: number
  /** What it offers, such as `gpu`: it takes no run that asks for more. Default none. */
  readonly labels?: readonly string[]
  /** Whether it ends when no run is left that it fits. Default `false`: it waits for further ones. */
  readonly exitWhenIdle?: boolean
  /** Takes no further trial, finishes those that run, and ends. */
  readonly signal?: AbortSignal
  /** Gives back the trials that run, and ends. */
  readonly giveBack?: AbortSignal
  readonly onEvent?: (event: WorkerEvent) => void
}

const pollMs = 1_000

/**
 * Runs trials of the runs in a queue until it is stopped. It takes trials only of runs that it would plan the same way:
 * same experiment, conditions, jury, items and commit; it says of every other run why not.
 *
 * @throws `store-failed` when the queue cannot be reached at the beginning; later it waits for it
 *
 * @example
 * import type { ExperimentOptions } from '@jurist/experiment'
 * import { runWorker, type TrialQueue } from '@jurist/experiment/queue'
 *
 * declare const queue: TrialQueue
 * declare const experiments: readonly ExperimentOptions[]
 * const { stored } = await runWorker({ queue, experiments, concurrency: 8, exitWhenIdle: true })
 * console.log(`${stored} trials`)
 */
export async function runWorker(options: WorkerOptions): Promise<WorkerSummary> {
  const { queue, onEvent = () => {} } = checkedOptions(options)
  const root = temporaryDirectory()
  const { report, runs } = await identity(options, root)
  const send = () => queue.report({ ...report, refused: runs.refused() })
  const trials = heldTrials(queue, send, onEvent)
  const leave = () => trials.leave('The worker is stopped.')
  options.giveBack?.addEventListener('abort', leave)
  try {
    await send()
    onEvent({ type: 'worker-start', worker: report.id })
    await takeTrials(options, { worker: report.id, runs, trials })
    await trials.ended()
    return trials.summary()
  } finally {
    options.giveBack?.removeEventListener('abort', leave)
    trials[Symbol.dispose]()
    await queue.leave(report.id).catch(() => undefined)
    await rm(root, { recursive: true, force: true })
  }
}

function checkedOptions(options: WorkerOptions): WorkerOptions {
  const rules = {
    ...{ queue: objectRule, experiments: experimentsRule, concurrency: option.integer(1), labels: option.strings },
    ...{ exitWhenIdle: option.boolean, signal: objectRule, giveBack: objectRule, onEvent: option.function },
  }
  return checkRequired('runWorker', options, rules, ['queue', 'experiments'])
}

const objectRule = { wants: 'an object', holds: (value: unknown) => typeof value === 'object' && value !== null }
const experimentsRule = { wants: 'an array of experiments', holds: (value: unknown) => Array.isArray(value) }

/** What the worker says of itself, and the runs that it joins. */
async function identity(
  { experiments, concurrency = 4, labels = [], onEvent = () => {} }: WorkerOptions,
  root: string,
) {
  const host = hostname()
  const id = `${host}-${process.pid}-${randomUUID().slice(0, 4)}`
  const { gitCommit } = await gitState(experiments[0]?.projectDirectory ?? process.cwd())
  const facts = { id, host, pid: process.pid, labels, gitCommit, concurrency }
  const report: WorkerReport = { ...facts, refused: {}, metadata: { node: process.version } }
  return { report, runs: joinedRuns({ experiments, labels, worker: id, root, emit: onEvent }) }
}

interface Taking {
  readonly worker: string
  readonly runs: JoinedRuns
  readonly trials: HeldTrials
}

/** Takes trials until the worker is stopped, or nothing is left to do. */
async function takeTrials(options: WorkerOptions, { worker, runs, trials }: Taking): Promise<void> {
  const { queue, concurrency = 4, exitWhenIdle = false, onEvent } = options
  const stopping = AbortSignal.any([options.signal, options.giveBack].flatMap((signal) => signal ?? []))
  const away = (message: string) => onEvent?.({ type: 'warning', message })
  // However long the database is away, the worker waits for it: who started it may not be there to start it again.
  const whenBack = <Value>(action: () => Promise<Value>) =>
    patiently(action, away, stopping, Number.POSITIVE_INFINITY).catch((thrown: unknown) => {
      if (stopping.aborted) return []
      throw thrown
    })
  while (!stopping.aborted) {
    const fitting = await runs.join(await whenBack(() => queue.runs()))
    const max = concurrency - trials.count
    const want = { worker, runs: fitting, max }
    const leased = fitting.length === 0 ? [] : await whenBack(() => queue.lease(want))
    for (const trial of leased) {
      const run = runs.of(trial.run)
      if (run !== undefined && !stopping.aborted) trials.start(trial, run)
      // Where this fails, the lease ends by itself.
      else await queue.giveBack(trial.lease).catch((thrown: unknown) => away(failureOf(thrown).message))
    }
    if (exitWhenIdle && fitting.length === 0 && trials.count === 0) return
    await nextTurn(trials, leased.length > 0 && trials.count < concurrency, stopping)
  }
}

/** Waits until another trial may be leased: when one has ended, or after a while. */
async function nextTurn(trials: HeldTrials, isImmediate: boolean, stopping: AbortSignal): Promise<void> {
  if (isImmediate) return
  const enough = new AbortController()
  const waiting = pause(pollMs, AbortSignal.any([stopping, enough.signal])).catch(() => undefined)
  await (trials.count === 0 ? waiting : Promise.race([waiting, trials.next()]))
  enough.abort()
}

/** The trials that a worker holds. */
interface HeldTrials extends Disposable {
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
function heldTrials(queue: TrialQueue, report: () => Promise<void>, emit: (event: WorkerEvent) => void): HeldTrials {
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
