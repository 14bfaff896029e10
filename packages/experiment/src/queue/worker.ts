import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { checkRequired, failureOf, option } from '@jurist/core/internal'
import { pause } from '@jurist/kit/retry-pause'
import { temporaryDirectory } from '@jurist/workspace/internal'
import { gitState } from '../dataset/git-state.js'
import type { ExperimentOptions } from '../run/experiment.js'
import { patiently } from '../run/queued-run.js'
import type { TrialQueue, WorkerReport } from '../store/trial-queue.js'
import { type HeldTrials, heldTrials } from './held-trials.js'
import type { WorkerEvent, WorkerSummary } from './worker-events.js'
import { type JoinedRuns, joinedRuns } from './worker-run.js'

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
