import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'
import { pause, retryPauseMs } from '@jurist/kit/retry-pause'
import type { DatasetItem } from '../dataset/item.js'
import { spentBy } from '../result/spending.js'
import { summaryOf } from '../result/summarize.js'
import { type RunOverview, type TrialName, trialKey } from '../result/trial-figures.js'
import { runUnknown } from '../store/names.js'
import type { ResultStore } from '../store/store.js'
import type { PlannedRun, RunProgress, RunStop, SeenWorker, TrialQueue } from '../store/trial-queue.js'
import type { CheckedRun } from './check-run.js'
import { type DecidingRun, repetitionsIn, sideName, sideOf } from './decide.js'
import { addEvidence, announce, type OpenRun, type RunPlace, remainingTrials } from './open-run.js'
import { resumeRun } from './resume.js'
import type { Distribution, RunExperimentOptions } from './run-options.js'
import { type Settings, spendingLimits } from './settings.js'
import { longestFirst } from './trials.js'

const pollMs = 500
/** Milliseconds between checks of the workers. */
const lookMs = 2_000

/** Plans a run in a queue, or follows an existing one. Its trials run in workers, none here. */
export async function openQueuedRun(
  checked: CheckedRun,
  options: RunExperimentOptions,
  distribution: Distribution,
  place: RunPlace,
): Promise<OpenRun<never>> {
  const { store, tell } = place
  const { queued, stored } = checked
  const { queue, detach = false } = distribution
  const { run, startOrder } =
    queued === null ? await plan(checked, options, distribution, store) : { run: queued, startOrder: null }
  const { id, planned } = run.manifest
  const isNew = queued === null && stored === null
  const decision = place.deciding?.join(sideName(run.manifest), sideOf(repetitionsIn(checked)))
  const position = isNew ? { keys: new Set<string>(), after: null } : await storedResults(queue, id, decision)
  place.run.id = id
  announce(checked, tell, planned, position.keys.size, place.startOrder ?? startOrder)
  const stops = stopEvents(place)
  const following = detach ? Promise.resolve() : follow(place, { queue, run, stops, decision, ...position })
  // The run may be finished later: until then its failure is not unhandled.
  following.catch(() => undefined)

  return {
    trials: [],
    mayStart: () => false,
    perform: async () => undefined,
    async finish(): Promise<RunOverview> {
      await following
      const overview = (await store.overview(id)) ?? runUnknown(id)
      const { stopReason: reason, counts } = overview
      if (reason !== null) stops.tell({ reason, message: stopReasons[reason] }, counts.notRun)
      tell({ type: 'experiment-end', status: overview.status, summary: summaryOf(overview) })
      return overview
    },
  }
}

/** Plans a new run, or the rest of a stored one. */
async function plan(
  checked: CheckedRun,
  options: RunExperimentOptions,
  { queue, labels = [], requireSameCommit = true, durations }: Distribution,
  store: ResultStore,
): Promise<{ readonly run: PlannedRun; readonly startOrder: string | null }> {
  const { settings, stored } = checked
  const resumed =
    stored === null ? null : await resumeRun(stored, checked, options).finally(() => stored.writer.release())
  const { manifest, taken, takenKeys } = resumed ?? { ...checked, taken: [], takenKeys: new Set<string>() }
  const limits = { ...spendingLimits(settings), timeoutMs: settings.experimentTimeoutMs }
  const run = { manifest, limits, spent: spentBy(taken, limits), labels, requireSameCommit }
  const left = [...remainingTrials(checked, takenKeys)]
  // A run that stops when it is decided keeps the order of its plan.
  const { trials, why } =
    manifest.sequential === undefined
      ? await startOrder(left, { store, settings, durations })
      : { trials: left, why: null }
  await queue.plan(run, trials)
  return { run, startOrder: why }
}

/** The results that are stored, and the position after them. */
interface StoredResults {
  readonly keys: Set<string>
  readonly after: string | null
}

async function storedResults(queue: TrialQueue, id: string, decision?: DecidingRun): Promise<StoredResults> {
  const keys = new Set<string>()
  for (let after: string | null = null; ; ) {
    const { items, next } = await queue.stored(id, after)
    for (const item of items) {
      keys.add(trialKey(item))
      decision?.add(item)
    }
    if (items.length === 0) return { keys, after }
    after = next
  }
}

interface Following extends StoredResults {
  readonly queue: TrialQueue
  readonly run: PlannedRun
  readonly stops: StopEvents
  /** The source of the evidence that is shown; the queue stops the run. */
  readonly decision: DecidingRun | undefined
}

interface StopEvents {
  tell(stop: RunStop, remaining: number): void
}

/** Emits one `experiment-stop`: a run may have ended before its stop was noticed. */
function stopEvents({ tell }: RunPlace): StopEvents {
  let isTold = false
  return {
    tell(stop, remaining) {
      if (!isTold) tell({ type: 'experiment-stop', ...stop, remaining })
      isTold = true
    },
  }
}

/** Messages for a run that stopped early. */
const stopReasons: { readonly [reason in RunStop['reason']]: string } = {
  budget: 'the budget is used up',
  bail: 'too many trials have failed or decided nothing',
  infrastructure: 'the infrastructure failed in several trials in a row',
  'experiment-timeout': 'the experiment did not end in time',
  cancelled: 'the run was cancelled',
  decided: 'the run is decided',
}

/** Emits the events of a run until it has ended. */
async function follow(place: RunPlace, { queue, run, stops, decision, keys, after: start }: Following): Promise<void> {
  const { tell, cancellation } = place
  const { id, planned } = run.manifest
  const warn = (message: string) => tell({ type: 'warning', code: 'queue-away', message, itemId: null })
  const trials = runningTrials(place, run)
  const look = workersWatch(place, { queue, run, held: trials.start })
  let after = start
  cancellation.onStop((reason, message) => {
    stops.tell({ reason, message }, planned - keys.size)
    patiently(() => queue.stop(id, reason, message), warn).catch((thrown) => warn(failureOf(thrown).message))
  })
  for (;;) {
    // Read before the results, which then include those that ended the run.
    const progress = await patiently(() => queue.progress(id), warn)
    for (;;) {
      const { items, next } = await patiently(() => queue.stored(id, after), warn)
      for (const result of items) {
        const { itemId, repetition } = result
        keys.add(trialKey(result))
        trials.start(result)
        tell({ type: 'item-end', itemId, repetition, result, done: keys.size, trials: planned })
        addEvidence(decision, result, tell)
      }
      if (items.length === 0) break
      after = next
    }
    if (progress === undefined) return
    if (progress.stopped !== null) stops.tell(progress.stopped, planned - keys.size)
    await look(progress)
    await pause(pollMs)
  }
}

/** Emits `item-start` once for each trial of a run. */
function runningTrials({ tell }: RunPlace, { manifest: { id } }: PlannedRun) {
  const started = new Set<string>()
  return {
    start({ itemId, repetition, run = id }: TrialName & { readonly run?: string }): void {
      const key = trialKey({ itemId, repetition })
      if (run !== id || started.has(key)) return
      started.add(key)
      tell({ type: 'item-start', itemId, repetition, attempt: 1 })
    },
  }
}

interface Watching {
  readonly queue: TrialQueue
  readonly run: PlannedRun
  /** Called with each trial that a worker holds. */
  readonly held: (trial: TrialName & { readonly run: string }) => void
}

/** Checks the workers, and warns while none can run the trials that are ready. */
function workersWatch({ tell }: RunPlace, { queue, run, held }: Watching) {
  let lookedMs = performance.now()
  let last: string | null = null
  return async function look(progress: RunProgress): Promise<void> {
    if (performance.now() - lookedMs < lookMs) return
    lookedMs = performance.now()
    const workers = await queue.workers().catch(() => null)
    if (workers === null) return
    for (const { trials } of workers) trials.forEach(held)
    const message = workersNotice(run, progress, workers)
    if (message !== null && message !== last) tell({ type: 'warning', code: 'workers-missing', message, itemId: null })
    last = message
  }
}

/** The reason why trials that are ready do not run, with a remedy; `null` if they do. */
function workersNotice(
  { manifest, labels }: Pick<PlannedRun, 'manifest' | 'labels'>,
  { ready, leased, stopped }: Pick<RunProgress, 'ready' | 'leased' | 'stopped'>,
  workers: readonly SeenWorker[],
): string | null {
  if (ready === 0 || leased > 0 || stopped !== null) return null
  const wanted = labels.length === 0 ? [] : ['--labels', labels.join(',')]
  const start = `Start one: ${commandLine('worker', ...wanted)}`
  if (workers.length === 0) return `No worker is running. ${start}`
  const offering = workers.filter((worker) => labels.every((label) => worker.labels.includes(label)))
  if (offering.length === 0) return `${waiting(workers)} none offers ${labels.join(', ')}. ${start}`
  const refusals = offering.flatMap(({ refused }) => refused[manifest.id] ?? [])
  if (refusals.length < offering.length) return null
  const reasons = [...new Set(refusals)]
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} other reasons: ${commandLine('worker', 'list')})` : ''
  return `${waiting(offering)} none can run these trials. ${reasons[0]}${more}`
}

function waiting({ length }: readonly SeenWorker[]): string {
  return length === 1 ? '1 worker is waiting, but' : `${length} workers are waiting, but`
}

const tenMinutes = 600_000
const pauses = { baseMs: 500, maxMs: 15_000 }

/**
 * Calls a function of a queue, again for some time while its store fails: a database may be unavailable for a while.
 *
 * @param failed called with each failure that is followed by another attempt
 * @param patienceMs default: ten minutes
 * @throws what the function throws last
 */
export async function patiently<Value>(
  action: () => Promise<Value>,
  failed: (message: string) => void,
  signal?: AbortSignal,
  patienceMs: number = tenMinutes,
): Promise<Value> {
  const untilMs = performance.now() + patienceMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action()
    } catch (thrown) {
      const isAway = JuristError.is(thrown, 'store-failed')
      if (!isAway || performance.now() > untilMs || signal?.aborted === true) throw thrown
      failed(thrown.message)
      await pause(retryPauseMs(attempt, pauses), signal).catch(() => undefined)
    }
  }
}

/** The order in which workers start the trials of a run. */
interface StartOrder {
  readonly trials: readonly TrialName[]
  /** Why it is not that of the dataset; `null` where it is. */
  readonly why: string | null
}

/** A trial, and the timeout that its item declares. */
interface Trial extends TrialName {
  readonly item: Pick<DatasetItem, 'timeoutMs'>
}

interface Known {
  readonly settings: Pick<Settings, 'name' | 'variant' | 'itemTimeoutMs'>
  readonly store: Pick<ResultStore, 'list' | 'overview'>
  readonly durations: Readonly<Record<string, number>> | undefined
}

/**
 * The longest trials first, so that no worker is left with one at the end: by the durations that are given, else by those that
 * earlier runs of the experiment have measured, else by the timeouts of the items. Without all of them: the order of the dataset.
 */
export async function startOrder(trials: readonly Trial[], { store, settings, durations }: Known): Promise<StartOrder> {
  if (durations !== undefined) return ordered(trials, durations, 'the longest first')
  const ids = new Set(trials.map(({ itemId }) => itemId))
  const runs = await measured(store, settings, ids)
  if (runs.length > 0) {
    const by = runs.length === 1 ? `run ${runs[0]?.id} has` : `runs ${runs.map(({ id }) => id).join(' and ')} have`
    return ordered(trials, durationsIn(runs), `the longest first, as ${by} measured them`)
  }
  if (trials.every(({ item }) => item.timeoutMs === null)) return { trials: trials.map(nameOf), why: null }
  const timeouts = trials.map(({ itemId, item }) => [itemId, item.timeoutMs ?? settings.itemTimeoutMs] as const)
  return ordered(trials, Object.fromEntries(timeouts), 'those with the longest timeouts first')
}

function ordered(trials: readonly Trial[], durations: Readonly<Record<string, number>>, why: string): StartOrder {
  return { trials: longestFirst(trials, durations).map(({ trial }) => nameOf(trial)), why }
}

function nameOf({ itemId, repetition }: TrialName): TrialName {
  return { itemId, repetition }
}

const mostRead = 3

const mostListed = 20

/**
 * The newest runs of an experiment that have measured some of these items: those of the same variant first, and only as many as needed to know every item. A run that cannot be read is left out: the order is not worth a failure.
 */
async function measured(
  store: Known['store'],
  { name, variant }: Known['settings'],
  items: ReadonlySet<string>,
): Promise<readonly RunOverview[]> {
  const unknown = new Set(items)
  const found: RunOverview[] = []
  for (const id of await candidates(store, name, variant)) {
    if (unknown.size === 0 || found.length === mostRead) break
    const run = await store.overview(id).catch(() => undefined)
    const trials = run?.trials.filter(({ agent, itemId }) => agent !== 'cancelled' && unknown.has(itemId)) ?? []
    if (run === undefined || trials.length === 0) continue
    for (const { itemId } of trials) unknown.delete(itemId)
    found.push(run)
  }
  return found
}

async function candidates(store: Known['store'], experimentName: string, variant: string | null) {
  const same: string[] = []
  const others: string[] = []
  for await (const entry of store.list({ experimentName, kind: 'agent', limit: mostListed }))
    if (entry.counts.run > 0) (entry.variant === variant ? same : others).push(entry.id)
  return [...same, ...others]
}

/** The mean duration of each item, from the first of the runs that has trials of it. */
function durationsIn(runs: readonly RunOverview[]): Readonly<Record<string, number>> {
  return Object.assign({}, ...runs.toReversed().map((run) => itemDurations([run])))
}

/** The mean milliseconds of the trials of each item, by the sorted ids of the items; cancelled trials do not count. */
export function itemDurations(runs: readonly RunOverview[]): Readonly<Record<string, number>> {
  const sums = new Map<string, { ms: number; trials: number }>()
  for (const { agent, itemId, durationMs } of runs.flatMap(({ trials }) => trials)) {
    if (agent === 'cancelled') continue
    const sum = sums.get(itemId) ?? { ms: 0, trials: 0 }
    sums.set(itemId, { ms: sum.ms + durationMs, trials: sum.trials + 1 })
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([id, { ms, trials }]) => [id, Math.max(1, Math.round(ms / trials))]))
}
