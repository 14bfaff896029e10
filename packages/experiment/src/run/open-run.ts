import { failureOf } from '@jurist/core/internal'
import { startTimer } from '@jurist/kit/timers'
import { summarizedTrial } from '../result/item-figures.js'
import type { ItemResult, StopReason } from '../result/records.js'
import type { RunKind } from '../result/run-kind.js'
import { summarize, summaryOf } from '../result/summarize.js'
import { type RunOverview, type SummarizedTrial, trialKey } from '../result/trial-figures.js'
import type { ResultStore, RunEnd, RunManifest, RunWriter } from '../store/store.js'
import type { Cancellation } from './cancellation.js'
import type { Tell } from './events.js'
import { budgetTracker, type OpenRun, performTrial, writeBehind } from './perform-trials.js'
import { manifestOf, type Prepared, type Selection } from './prepare.js'
import { type OpenedRun, type Resumed, type ResumeOptions, resumeRun } from './resume.js'
import { contextOfRun } from './run-context.js'
import { countTrials, type Shard, type ShardOptions, shardOf, type Trial, trialsOf } from './trials.js'

/** Everything that a run is opened with. */
export interface Opening {
  readonly prepared: Prepared
  readonly selection: Selection
  readonly store: ResultStore
  readonly runId: string
  readonly session: string | null
  readonly kind: RunKind
  /** The stored run that is resumed, locked; `null` for a new one. */
  readonly stored: OpenedRun | null
  readonly resuming: ResumeOptions
  /** The part of the trials that runs; absent: all, or the part that the stored run performs. */
  readonly shard: ShardOptions | undefined
  /** Warnings about its plan, emitted when it has begun. */
  readonly notices: readonly string[]
  readonly cancellation: Cancellation
  readonly tell: Tell
  /** Called with the id of the run before its first event: resuming may change it. */
  readonly opened: (runId: string) => void
}

const unpriced = 'A trial declares no cost: the budget in dollars cannot count it.'

/** Opens the store for a new or resumed run, and emits `experiment-start`. */
export async function openRun(opening: Opening): Promise<OpenRun> {
  const { prepared, cancellation, tell } = opening
  const { settings } = prepared
  const beganMs = performance.now()
  const begun = await openWriter(opening)
  const { writer, taken, takenKeys, earlierMs } = begun
  const trials = trialsIn(opening, begun.shard)
  const finished = taken.map(summarizedTrial)
  let started = taken.length
  let failure: { readonly thrown: unknown } | null = null
  opening.opened(writer.runId)
  const { runId, directory, append } = writer
  const run = contextOfRun({ ...opening, runId, directory, append, resumed: opening.stored !== null })
  announce(opening, trials, taken.length)
  cancellation.onStop((reason, message) =>
    tell({ type: 'experiment-stop', reason, message, remaining: trials - started }),
  )
  const cancelTimer = startExperimentTimer(settings.experimentTimeoutMs, cancellation)
  // With a concurrency of 1 each trial is stored before the next one starts.
  const behind = writeBehind(settings.concurrency > 1 ? settings.concurrency * 4 : 0)
  const budget = budgetTracker(settings, taken, ({ itemId }) => run.warn('budget-unpriced', unpriced, itemId))

  function fail(thrown: unknown): void {
    failure ??= { thrown }
    cancellation.abandon(`the run has failed: ${failureOf(thrown).message}`)
  }
  function stored(result: ItemResult): void {
    const { itemId, repetition } = result
    tell({ type: 'item-end', itemId, repetition, result, done: finished.push(summarizedTrial(result)), trials })
  }

  return {
    trials: remainingTrials(opening, takenKeys, begun.shard),
    mayStart() {
      const exhausted = cancellation.reason === null ? budget.exhausted() : null
      if (exhausted !== null) cancellation.stop(exhausted.reason, exhausted.message)
      return cancellation.reason === null && cancellation.cancelled === null
    },
    perform(trial) {
      started += 1
      budget.started()
      return performTrial(run, trial, { budget, behind, stored, fail })
    },
    async finish() {
      await behind.end()
      cancelTimer()
      const durationMs = earlierMs + performance.now() - beganMs
      return endRun({ writer, cancellation, tell, finished, failure, trials, durationMs })
    },
  }
}

interface Begun extends Resumed {
  /** The duration of the run before it was resumed. */
  readonly earlierMs: number
  /** `null`: all trials run. */
  readonly shard: Shard | null
}

async function openWriter(opening: Opening): Promise<Begun> {
  const { prepared, selection, store, runId, session, kind, stored, resuming } = opening
  try {
    const whole = await manifestOf(prepared, selection, { id: stored?.manifest.id ?? runId, session, kind })
    const shard = shardIn(opening, stored?.manifest ?? whole)
    const manifest = shard === null ? whole : { ...whole, shard: shard.record }
    if (stored === null)
      return { manifest, writer: await store.open(manifest), taken: [], takenKeys: new Set(), earlierMs: 0, shard }
    const resumed = await resumeRun(stored, manifest, selection, resuming)
    const began = Date.parse(resumed.manifest.startedAt)
    const earlierMs = resumed.taken.reduce((longest, item) => Math.max(longest, Date.parse(item.endedAt) - began), 0)
    return { ...resumed, earlierMs, shard }
  } catch (thrown) {
    await stored?.writer.release()
    throw thrown
  }
}

/** The shard that runs. A resumed one is known by its record, but for its durations. */
function shardIn({ shard, stored }: Opening, plan: RunManifest): Shard | null {
  if (shard !== undefined) return shardOf(plan, shard)
  const known = stored?.manifest.shard
  return known?.by === 'order' ? shardOf(plan, { index: known.index, count: known.count }) : null
}

/** The number of trials of the run. An item that was removed since counts if all its trials are stored. */
function trialsIn({ selection, prepared, stored, resuming }: Opening, shard: Shard | null): number {
  if (shard !== null) return shard.keys.size
  const asked = countTrials(selection.items, prepared.settings)
  return stored === null || resuming.widen ? asked : Math.max(asked, stored.manifest.planned)
}

/** The trials that are left to run, in result order. */
export function* remainingTrials(
  { selection, prepared }: Opening,
  takenKeys: ReadonlySet<string>,
  shard: Shard | null = null,
): Generator<Trial, void> {
  const isAll = takenKeys.size === 0 && shard === null
  for (const trial of trialsOf(selection.items, prepared.settings)) {
    const key = isAll ? '' : trialKey(trial)
    if (isAll || (!takenKeys.has(key) && shard?.keys.has(key) !== false)) yield trial
  }
}

/** Emits `experiment-start`, and what is noticed of the plan and the items. */
export function announce(
  { selection, prepared, kind, notices, tell }: Opening,
  trials: number,
  resumed: number,
  startOrder: string | null = null,
): void {
  const { name, variant } = prepared.settings
  const order = startOrder === null ? {} : { startOrder }
  tell({ type: 'experiment-start', experimentName: name, kind, variant, trials, resumed, ...order })
  for (const message of notices) tell({ type: 'warning', code: 'plan-stored', message, itemId: null })
  for (const { file, field, problem, remedy, item } of selection.problems) {
    const place = field === null ? file : `${file} ${field}`
    tell({ type: 'warning', code: 'dataset-warning', message: `${place}: ${problem} ${remedy}`, itemId: item })
  }
}

function startExperimentTimer(timeoutMs: number | null, cancellation: Cancellation): () => void {
  if (timeoutMs === null) return () => {}
  const message = `the experiment did not end within ${timeoutMs} ms`
  return startTimer(timeoutMs, () => cancellation.stop('experiment-timeout', message))
}

/** A run whose trials have all ended. */
interface Ending {
  readonly writer: RunWriter
  readonly cancellation: Cancellation
  readonly tell: Tell
  /** The figures of every trial of the run that has ended. */
  readonly finished: readonly SummarizedTrial[]
  /** What made the run fail. */
  readonly failure: { readonly thrown: unknown } | null
  readonly trials: number
  readonly durationMs: number
}

/** Stores the end of a run and emits its last event. Rejects with the error that made the run fail; its trials are stored. */
export async function endRun(ending: Ending): Promise<RunOverview> {
  const { writer, cancellation, tell, failure, durationMs } = ending
  if (failure !== null) return failRun(ending, failure.thrown)
  const { reason } = cancellation
  try {
    const result = await writer.finish({ status: statusOf(reason), stopReason: reason, durationMs })
    tell({ type: 'experiment-end', status: result.status, summary: summaryOf(result) })
    return result
  } catch (thrown) {
    return failRun(ending, thrown)
  }
}

/** The status of a run that ends, by why it was stopped. */
export function statusOf(reason: StopReason | null): RunEnd['status'] {
  switch (reason) {
    case null:
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

async function failRun({ writer, tell, finished, trials, durationMs }: Ending, thrown: unknown): Promise<never> {
  // A store that fails may fail here as well: the first error counts.
  const written = writer.finish({ status: 'failed', stopReason: null, durationMs })
  await written.catch(() => writer.release()).catch(() => undefined)
  tell({ type: 'experiment-end', status: 'failed', summary: summarize({ items: finished, planned: trials }) })
  throw thrown
}
