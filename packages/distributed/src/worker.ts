import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { checkRequired, failureOf, option } from '@jurist/core/internal'
import type { ExperimentOptions, ItemFailure } from '@jurist/experiment'
import {
  abandonedTrial,
  cancellation,
  checkRunId,
  contextOfRun,
  type FittingRun,
  fitRun,
  gitState,
  type PriorAttempt,
  patiently,
  type RunContext,
  runTrial,
  type Trial,
} from '@jurist/experiment/internal'
import { trialKey, trialText } from '@jurist/experiment/internal/results'
import type { ItemResult } from '@jurist/experiment/result'
import type { LeasedTrial, QueuedRun, TrialLoss, TrialQueue, WorkerReport } from '@jurist/experiment/store-kit'
import { pause } from '@jurist/kit/retry-pause'
import { temporaryDirectory } from '@jurist/workspace/internal'

/** An event of a worker. */
export type WorkerEvent =
  | { readonly type: 'worker-start'; readonly worker: string }
  | {
      readonly type: 'run-joined'
      readonly run: string
      readonly experimentName: string
      readonly variant: string | null
    }
  /** It takes no trial of this run. */
  | { readonly type: 'run-refused'; readonly run: string; readonly reason: string }
  | { readonly type: 'trial-start'; readonly trial: LeasedTrial }
  /** `stored: 'lost'`: another worker has the trial, and this result is dropped. */
  | {
      readonly type: 'trial-end'
      readonly trial: LeasedTrial
      readonly result: ItemResult
      readonly stored: 'stored' | 'lost'
    }
  /** The trial was ended, and other workers can take it. */
  | { readonly type: 'trial-left'; readonly trial: LeasedTrial; readonly reason: string }
  | { readonly type: 'warning'; readonly message: string }

/** The work of a worker until it ended. */
export interface WorkerSummary {
  readonly stored: number
  /** Results that were dropped, since another worker had taken the trial over. */
  readonly lost: number
  /** Trials that were ended without a result. */
  readonly left: number
}

/** How a worker works. */
export interface WorkerOptions {
  readonly queue: TrialQueue
  /** The experiments whose runs it takes part in. */
  readonly experiments: readonly ExperimentOptions[]
  /** How many trials it runs at a time. Default 4. */
  readonly concurrency?: number
  /** The capabilities that it offers, such as `gpu`. It takes no run that requires another one. Default none. */
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
 * same experiment, conditions, jury, items and commit; for every other run it reports why not.
 *
 * @throws `store-failed` when the queue cannot be reached at the beginning; later it waits for it
 *
 * @example
 * import { runWorker } from '@jurist/distributed'
 * import type { ExperimentOptions } from '@jurist/experiment'
 * import type { TrialQueue } from '@jurist/experiment/store-kit'
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

/** The worker's own description, and the runs that it joins. */
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

/** Takes trials until the worker is stopped, or nothing is left to do. */
async function takeTrials(
  options: WorkerOptions,
  { worker, runs, trials }: { readonly worker: string; readonly runs: JoinedRuns; readonly trials: HeldTrials },
): Promise<void> {
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
type HeldTrials = ReturnType<typeof heldTrials>

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
 * @param report tells the queue that the worker is alive
 */
function heldTrials(queue: TrialQueue, report: () => Promise<void>, emit: (event: WorkerEvent) => void) {
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
    get count(): number {
      return running.size
    },
    start(trial: LeasedTrial, run: WorkerRun): void {
      const held: Held = { trial, stopping: new AbortController(), isStoring: false, over: null }
      running.set(held, Promise.resolve())
      running.set(
        held,
        hold(held, run).finally(() => running.delete(held)),
      )
    },
    /** Ends the trials that run, and returns them to the queue. */
    leave(reason: string): void {
      for (const held of running.keys()) end(held, 'left', reason)
    },
    /** Resolves when a trial has ended. */
    next: (): Promise<void> => Promise.race(running.values()),
    /** Resolves when no trial runs. */
    async ended(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values())
    },
    summary: (): WorkerSummary => ({ ...done }),
    [Symbol.dispose]: (): void => clearInterval(beating),
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

/** The parts that joining a run needs. */
interface Joining {
  readonly experiments: readonly ExperimentOptions[]
  readonly labels: readonly string[]
  /** The id of the worker. */
  readonly worker: string
  /** A directory of the worker. */
  readonly root: string
  readonly emit: (event: WorkerEvent) => void
}

/** The runs that a worker has met; each is checked once. */
type JoinedRuns = ReturnType<typeof joinedRuns>

function joinedRuns(joining: Joining) {
  const { emit } = joining
  const met = new Map<string, WorkerRun | string>()

  return {
    /** Joins the open runs that fit. Returns their ids; runs that are no longer open are forgotten. */
    async join(open: readonly QueuedRun[]): Promise<readonly string[]> {
      for (const id of met.keys()) if (!open.some(({ manifest }) => manifest.id === id)) met.delete(id)
      for (const queued of open) {
        const { id, experimentName, variant } = queued.manifest
        if (met.has(id)) continue
        const run = await joined(queued, joining)
        met.set(id, run)
        if (typeof run === 'string') emit({ type: 'run-refused', run: id, reason: run })
        else emit({ type: 'run-joined', run: id, experimentName, variant })
      }
      return [...met].flatMap(([id, run]) => (typeof run === 'string' ? [] : [id]))
    },
    /** A run that was joined. */
    of(id: string): WorkerRun | undefined {
      const run = met.get(id)
      return typeof run === 'string' ? undefined : run
    },
    /** Why it takes no trials of some runs. */
    refused: () => Object.fromEntries([...met].flatMap(([id, run]) => (typeof run === 'string' ? [[id, run]] : []))),
  }
}

/** The run, or why it does not fit. */
async function joined(queued: QueuedRun, joining: Joining): Promise<WorkerRun | string> {
  const lacking = queued.labels.filter((label) => !joining.labels.includes(label))
  if (lacking.length > 0) return `It needs ${lacking.join(', ')}: start the worker with --labels ${lacking.join(',')}.`
  try {
    // The id becomes a path.
    checkRunId(queued.manifest.id)
    return await openWorkerRun(await fitRun(queued, joining.experiments), joining)
  } catch (thrown) {
    return failureOf(thrown).message
  }
}

/** A run that a worker takes part in. */
type WorkerRun = Awaited<ReturnType<typeof openWorkerRun>>

/** Opens a run in a directory of this machine. */
async function openWorkerRun({ queued, selected, trials, gitCommit }: FittingRun, { worker, root, emit }: Joining) {
  const { id, kind, experimentName } = queued.manifest
  const directory = join(root, experimentName, id)
  await mkdir(directory, { recursive: true })
  const shared = contextOfRun(selected, {
    ...{ kind, runId: id, directory, keepsDirectory: false },
    // A trial that was lost may run here a second time.
    resumed: true,
    cancellation: cancellation(),
    tell(event) {
      if (event.type !== 'warning') return
      const { itemId, message } = event
      emit({ type: 'warning', message: itemId === null ? message : `${itemId}: ${message}` })
    },
  })
  return {
    /** The directory that the paths in its results lead from. */
    directory,
    /** Runs a leased trial, which `stopping` ends early. */
    async perform({ itemId, repetition, losses }: LeasedTrial, stopping: AbortSignal): Promise<ItemResult> {
      const trial = trials.get(trialKey({ itemId, repetition })) ?? unknownTrial(id, { itemId, repetition })
      const item = await leasedTrial(stoppable(shared, stopping), trial, losses)
      return { ...item, metadata: { ...item.metadata, worker: { id: worker, gitCommit } } }
    },
    /** Removes what a trial left on this disk. */
    async clear({ workspacePath, journalPath }: ItemResult): Promise<void> {
      for (const path of [workspacePath, journalPath])
        if (path !== null) await rm(join(directory, path), { recursive: true, force: true })
    },
  }
}

/** The context for one trial, which can be ended alone. */
function stoppable(shared: RunContext, stopping: AbortSignal): RunContext {
  const own = cancellation()
  const stop = () => own.stop('cancelled', String(stopping.reason?.message ?? 'the trial was given up'))
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop, { once: true })
  return { ...shared, cancellation: own }
}

function unknownTrial(id: string, { itemId, repetition }: Pick<Trial, 'itemId' | 'repetition'>): never {
  throw new Error(`Run ${id} has no trial ${JSON.stringify(trialText({ itemId, repetition }))} here.`)
}

/** The number of lost workers after which a trial ends undecided. */
const maxLosses = 3

/**
 * Runs a trial that may have been lost with other workers before: each of them is an attempt of unknown cost. After three, the
 * trial ends undecided.
 */
async function leasedTrial(run: RunContext, trial: Trial, losses: readonly TrialLoss[]): Promise<ItemResult> {
  const earlier = losses.map((loss) => lostAttempt(loss))
  if (losses.length < maxLosses) return runTrial(run, trial, earlier)
  const message = `${earlier.length} workers were lost while they ran the trial. What it does may end the process: try the item alone.`
  return abandonedTrial(run, trial, earlier, failureOfLoss(message))
}

function lostAttempt({ worker, durationMs }: TrialLoss): PriorAttempt {
  const spent = { costUsd: null, usage: undefined, user: undefined, verdict: null }
  return { failure: failureOfLoss(`The worker ${worker} was lost while it ran the trial.`), durationMs, ...spent }
}

function failureOfLoss(message: string): ItemFailure {
  return { name: 'WorkerLost', message, code: 'worker-lost', origin: 'setup', infrastructure: true }
}
