import { failureOf } from '@jurist/core/internal'
import { startTimer } from '@jurist/kit/timers'
import { summarizedTrial } from '../result/item-figures.js'
import type { ItemResult, StopReason } from '../result/records.js'
import { exhausted, type SpendingLimits, spentBy, withTrial } from '../result/spending.js'
import { summarize, summaryOf } from '../result/summarize.js'
import { type RunOverview, trialKey } from '../result/trial-figures.js'
import type { ResultStore, RunEnd, RunWriter } from '../store/store.js'
import type { Cancellation } from './cancellation.js'
import { type CheckedRun, closedModel } from './check-run.js'
import { type Deciding, type DecidingRun, repetitionsIn, sideName, sideOf } from './decide.js'
import type { Tell } from './events.js'
import { resumeRun } from './resume.js'
import { contextOfRun } from './run-context.js'
import type { RunExperimentOptions } from './run-options.js'
import { runTrial } from './run-trial.js'
import { spendingLimits } from './settings.js'
import { countTrials, type Trial, trialsOf } from './trials.js'

export interface RunPlace {
  readonly store: ResultStore
  readonly cancellation: Cancellation
  readonly tell: Tell
  /** Stops it when it is decided; absent: it runs to its end. */
  readonly deciding?: Deciding | undefined
  /** Why its trials start in another order than that of the dataset, and what that is for. */
  readonly startOrder?: string | null
  /** Its id, which changes if another run turns out to be the one to resume. */
  readonly run: { id: string }
}

/** Opens the store for a new or resumed run, and emits `experiment-start`. */
export async function openRun(
  checked: CheckedRun,
  options: RunExperimentOptions,
  { store, cancellation, tell, run, deciding, startOrder = null }: RunPlace,
): Promise<OpenRun<Trial>> {
  const { settings, stored, shard, manifest } = checked
  const beganMs = performance.now()
  const { writer, taken, takenKeys, earlierMs } = await openWriter(checked, options, store)
  const planned = shard?.keys.size ?? plannedTrials(checked, options)
  run.id = writer.runId
  const { runId, directory } = writer
  const { kind } = manifest
  const keepsDirectory = store.fetchFiles === undefined
  const place = { runId, directory, keepsDirectory, kind, resumed: stored !== null }
  const context = contextOfRun(checked, { ...place, cancellation, tell })
  announce(checked, tell, planned, taken.length, startOrder)
  const decision = deciding?.join(sideName(manifest), sideOf(repetitionsIn(checked), taken), (message) => {
    cancellation.stop('decided', message)
    if (options.onStop === 'cancel') cancellation.abandon(message)
  })
  const open = { writer, cancellation, tell, taken, planned, decision, beganMs: beganMs - earlierMs }
  return openTrials(
    { ...open, ...settings, limits: spendingLimits(settings), trials: remainingTrials(checked, takenKeys) },
    (trial) => runTrial(context, trial),
  )
}

async function openWriter(checked: CheckedRun, options: RunExperimentOptions, store: ResultStore) {
  const { manifest, stored } = checked
  if (stored === null)
    return { writer: await store.open(manifest), taken: [], takenKeys: new Set<string>(), earlierMs: 0 }
  try {
    const resumed = await resumeRun(stored, checked, options)
    const began = Date.parse(resumed.manifest.startedAt)
    const earlierMs = resumed.taken.reduce((longest, item) => Math.max(longest, Date.parse(item.endedAt) - began), 0)
    return { ...resumed, earlierMs }
  } catch (thrown) {
    await stored.writer.release()
    throw thrown
  }
}

/** The number of trials of a run that is not a shard. An item that was removed since counts if all its trials are stored. */
function plannedTrials({ items, settings, stored }: CheckedRun, { widen = false }: RunExperimentOptions): number {
  const asked = countTrials(items, settings)
  return stored === null || widen ? asked : Math.max(asked, stored.manifest.planned)
}

/** The trials that are left to run: in result order, or in that of a plan to stop when it is decided. */
export function* remainingTrials(
  { items, settings, shard, manifest: { sequential } }: CheckedRun,
  takenKeys: ReadonlySet<string>,
): Generator<Trial, void> {
  const byId = sequential === undefined ? null : new Map(items.map((item) => [item.id, item]))
  const counted = new Set(sequential?.order)
  const inOrder =
    byId === null
      ? items
      : // Items in quarantine run last, since nothing that stops the run depends on them.
        [...counted].flatMap((id) => byId.get(id) ?? []).concat(items.filter(({ id }) => !counted.has(id)))
  for (const trial of trialsOf(inOrder, settings)) {
    const key = trialKey(trial)
    if (!takenKeys.has(key) && shard?.keys.has(key) !== false) yield trial
  }
}

/** Emits `experiment-start`, and notices about the plan and the items. */
export function announce(
  checked: CheckedRun,
  tell: Tell,
  trials: number,
  resumed: number,
  startOrder: string | null = null,
): void {
  const { settings, manifest, notice, problems } = checked
  const { name, variant } = settings
  const order = startOrder === null ? {} : { startOrder }
  tell({ type: 'experiment-start', experimentName: name, kind: manifest.kind, variant, trials, resumed, ...order })
  if (notice !== null) tell({ type: 'warning', code: 'plan-stored', message: notice, itemId: null })
  const closed = manifest.kind === 'agent' ? closedModel(checked) : null
  if (closed !== null) tell({ type: 'warning', code: 'model-closed', message: closed, itemId: null })
  for (const { file, field, problem, remedy, item } of problems) {
    const place = field === null ? file : `${file} ${field}`
    tell({ type: 'warning', code: 'dataset-warning', message: `${place}: ${problem} ${remedy}`, itemId: item })
  }
}

/** Adds a result to the decision of a plan, and emits what is known then. */
export function addEvidence(decision: DecidingRun | undefined, result: ItemResult, tell: Tell): void {
  decision?.add(result)
  const grown = decision?.evidence
  if (grown !== undefined) tell({ type: 'evidence', ...grown })
}

/** A trial by its place in the order of results. */
interface Placed {
  /** From 0. */
  readonly index: number
}

/** A run whose store is open, trial by trial. */
export interface OpenRun<Trial extends Placed = Placed> {
  /** The trials that are left to run, in result order. */
  readonly trials: Iterable<Trial>
  /** Whether another trial may start; when not, the run is stopped. */
  mayStart(): boolean
  /**
   * Runs a trial. Resolves when another may start: agent and jury have ended, but the trial may not be stored yet. Never
   * rejects: a failure of the store ends the run, and `finish` rejects with it.
   */
  perform(trial: Trial): Promise<void>
  /** Waits until every trial is stored, and ends the run. Rejects with the error that made it fail. */
  finish(): Promise<RunOverview>
}

interface OpenTrials<Trial extends Placed> {
  readonly trials: Iterable<Trial>
  readonly taken: readonly ItemResult[]
  readonly planned: number
  readonly limits: SpendingLimits
  readonly concurrency: number
  readonly experimentTimeoutMs: number | null
  readonly decision?: DecidingRun | undefined
  /** By the monotonic clock; a resumed run began earlier. */
  readonly beganMs: number
  readonly writer: RunWriter
  readonly cancellation: Cancellation
  readonly tell: Tell
}

const unpriced = 'A trial declares no cost: the budget in dollars cannot count it.'

/** Performs trials one by one within the limits of their run, stores each result before its event, and ends the run. */
export function openTrials<Trial extends Placed>(
  { trials, taken, planned, limits, concurrency, experimentTimeoutMs, beganMs, decision, ...place }: OpenTrials<Trial>,
  perform: (trial: Trial) => Promise<ItemResult>,
): OpenRun<Trial> {
  const { writer, cancellation, tell } = place
  const finished = taken.map(summarizedTrial)
  // With a concurrency of 1 each trial is stored before the next one starts.
  const mostStoring = concurrency > 1 ? concurrency * 4 : 0
  const storing = new Set<Promise<void>>()
  let spent = spentBy(taken, limits)
  let started = taken.length
  let running = 0
  let isPriced = true
  let failure: { readonly thrown: unknown } | null = null

  cancellation.onStop((reason, message) =>
    tell({ type: 'experiment-stop', reason, message, remaining: planned - started }),
  )
  const late = `the experiment did not end within ${experimentTimeoutMs} ms`
  const cancelTimer =
    experimentTimeoutMs === null
      ? () => {}
      : startTimer(experimentTimeoutMs, () => cancellation.stop('experiment-timeout', late))
  taken.forEach(noteUnpriced)

  function noteUnpriced({ itemId, agent, costUsd }: ItemResult): void {
    if (limits.usd === null || !isPriced || costUsd !== null || agent === 'setup-error') return
    isPriced = false
    tell({ type: 'warning', code: 'budget-unpriced', message: unpriced, itemId })
  }
  function fail(thrown: unknown): void {
    failure ??= { thrown }
    cancellation.abandon(`the run has failed: ${failureOf(thrown).message}`)
  }
  async function store(result: ItemResult): Promise<void> {
    const { itemId, repetition } = result
    try {
      tell({ type: 'item-phase', itemId, repetition, phase: 'store' })
      await writer.append(result)
      tell({
        type: 'item-end',
        itemId,
        repetition,
        result,
        done: finished.push(summarizedTrial(result)),
        trials: planned,
      })
      addEvidence(decision, result, tell)
    } catch (thrown) {
      fail(thrown)
    }
  }
  async function failed(thrown: unknown): Promise<never> {
    // A store that fails may fail here as well: the first error counts.
    const written = writer.finish({ status: 'failed', stopReason: null, durationMs: performance.now() - beganMs })
    await written.catch(() => writer.release()).catch(() => undefined)
    tell({ type: 'experiment-end', status: 'failed', summary: summarize({ items: finished, planned }) })
    throw thrown
  }

  return {
    trials,
    mayStart() {
      const stop = cancellation.reason === null ? exhausted(limits, spent, running) : null
      if (stop !== null) cancellation.stop(stop.reason, stop.message)
      return cancellation.reason === null && cancellation.cancelled === null
    },
    async perform(trial) {
      started += 1
      running += 1
      try {
        const result = await perform(trial)
        running -= 1
        spent = withTrial(spent, result, limits)
        noteUnpriced(result)
        const stored = store(result).finally(() => storing.delete(stored))
        storing.add(stored)
        if (storing.size > mostStoring) await stored
      } catch (thrown) {
        fail(thrown)
      }
    },
    async finish() {
      await Promise.all(storing)
      cancelTimer()
      if (failure !== null) return failed(failure.thrown)
      const { reason } = cancellation
      const durationMs = performance.now() - beganMs
      try {
        const decided = decision?.stop
        // A budget that ran out while the last trials ended does not undo what they decide.
        const isDecided = decided !== undefined && reason !== null && reason !== 'cancelled'
        const stopReason = isDecided ? 'decided' : reason
        const end = { status: statusOf(stopReason), stopReason, durationMs }
        const result = await writer.finish(isDecided ? { ...end, decided } : end)
        tell({ type: 'experiment-end', status: result.status, summary: summaryOf(result) })
        return result
      } catch (thrown) {
        return failed(thrown)
      }
    },
  }
}

/** The status of a run that ends, by why it was stopped. */
export function statusOf(reason: StopReason | null): RunEnd['status'] {
  switch (reason) {
    case null:
    case 'decided':
      return 'completed'
    case 'cancelled':
      return 'interrupted'
    case 'bail':
    case 'infrastructure':
    case 'budget':
    case 'experiment-timeout':
      return 'stopped'
    default:
      return reason satisfies never
  }
}

/** Runs the remaining trials of some runs, `concurrency` at a time in all, until each run has ended or must stop. */
export async function runTrials<Trial extends Placed>(
  runs: readonly OpenRun<Trial>[],
  concurrency: number,
): Promise<void> {
  const next = inTurn(runs)
  async function work(): Promise<void> {
    for (let job = next(); job !== null; job = next()) {
      await job.run.perform(job.trial)
      // Trials that wait for nothing would keep timers, signals and the disk waiting.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

/**
 * A function that returns the next trial of several runs: the first of every run, the second of every run, and so on;
 * `null` when no trial is left that may start.
 */
function inTurn<Trial extends Placed>(runs: readonly OpenRun<Trial>[]) {
  const queues = runs.map((run) => {
    const left = run.trials[Symbol.iterator]()
    return { run, left, trial: left.next().value as Trial | undefined }
  })
  return function next(): { readonly run: OpenRun<Trial>; readonly trial: Trial } | null {
    for (;;) {
      const waiting = queues.filter(({ trial }) => trial !== undefined)
      const [first, ...others] = waiting
      if (first === undefined) return null
      const queue = others.reduce((a, b) => ((b.trial?.index ?? 0) < (a.trial?.index ?? 0) ? b : a), first)
      const { run, trial } = queue
      // Checked just before a trial starts, so that everything spent by then counts.
      const mayStart = run.mayStart()
      queue.trial = mayStart ? (queue.left.next().value ?? undefined) : undefined
      if (mayStart && trial !== undefined) return { run, trial }
    }
  }
}
