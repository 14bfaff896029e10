import type { ExperimentResult } from '../result/records.js'
import { type RunOverview, resultWithItems } from '../result/trial-figures.js'
import { newRunId, runUnknown } from '../store/names.js'
import type { ResultStore } from '../store/store.js'
import type { QueuedRun } from '../store/trial-queue.js'
import { type Cancellation, cancellation, stopOnSignal } from './cancellation.js'
import { withMatrix } from './define-experiment.js'
import { type EventLog, type ExperimentEvent, eventLog, now, type Tell } from './events.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { refuseMissingKeys } from './models.js'
import { type Opening, openRun } from './open-run.js'
import { type OpenRun, performAll } from './perform-trials.js'
import { dryResult } from './plan.js'
import { type Prepared, prepare, type Selection, select, storeOf } from './prepare.js'
import { openQueuedRun } from './queued-run.js'
import { newestUnfinished, type OpenedRun } from './resume.js'
import { type RunExperimentOptions, runIssues } from './run-options.js'
import { otherPlanNotice, settingsOfPlan, storedPlan, type TrialPlan } from './trials.js'

/**
 * Runs an experiment: every selected item, as often as asked for, through workspace, agent and jury, each result stored
 * before its event. Starts immediately.
 *
 * @returns the run: its events by iterating, its `result`, and `cancel`. With `resume: 'latest'` its `runId` is that of the
 * resumed run from the first event on
 * @throws (through `result`) `experiment-invalid` with every issue, `dataset-invalid`, `git-dirty`, `run-mismatch`,
 * `run-unknown`, `run-locked`, `store-failed`; never for what an agent, a judge, a hook or a reporter does
 *
 * @example
 * import { fileExists } from '@jurist/core'
 * import { completed, runExperiment } from '@jurist/experiment'
 *
 * const agent = async () => completed('done')
 * const jury = fileExists('README.md')
 * const run = runExperiment({ name: 'add-readme', dataset: 'dataset', agent, jury, store: 'results' })
 * for await (const event of run) if (event.type === 'item-end') console.log(event.itemId, event.result.passed)
 * const { passRate } = await run.result
 */
export function runExperiment<Variant extends string = never>(
  experiment: ExperimentOptions<Variant> | Experiment<Variant>,
  options: RunExperimentOptions<NoInfer<Variant>> = {},
): ExperimentRun {
  const log = eventLog()
  const stopping = cancellation()
  const { runId, resume } = options ?? {}
  const run = { id: runId ?? (resume === undefined || resume === 'latest' ? newRunId() : resume) }
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const release = stopOnSignal(options?.signal, stopping)
  const overview = execute(withMatrix(experiment), options, { log, cancellation: stopping, run }).finally(async () => {
    release()
    await log.end()
  })
  // A caller may read the events only: an unread rejection must not be reported as unhandled.
  overview.catch(() => undefined)
  let result: Promise<ExperimentResult> | undefined

  function cancel(reason = 'the run was cancelled'): void {
    stopping.stop('cancelled', reason)
  }

  return Object.freeze<ExperimentRun>({
    get runId() {
      return run.id
    },
    overview,
    get result() {
      result ??= overview.then(resultWithItems)
      return result
    },
    cancel,
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
    async [Symbol.asyncDispose]() {
      cancel('the run was disposed of')
      await overview.catch(() => undefined)
    },
  })
}

/** A run under way. Iterating gives its events from the first on, for each iterator. */
export interface ExperimentRun extends AsyncIterable<ExperimentEvent>, AsyncDisposable {
  readonly runId: string
  /** The run without its items in memory. Rejects only for a store, a dataset or an option; never an unhandled rejection. */
  readonly overview: Promise<RunOverview>
  /** The run with its items, which are read from the store when this is first used. Rejects like `overview`. */
  readonly result: Promise<ExperimentResult>
  /** No further trial starts; running ones are cancelled and recorded. The run ends `interrupted`. */
  cancel(reason?: string): void
}

async function execute(
  experiment: ExperimentOptions,
  options: RunExperimentOptions,
  { log, cancellation, run }: Omit<RunPlace, 'store'>,
): Promise<RunOverview> {
  const prepared = await checkOptionsOf(experiment, options)
  if (options.dryRun === true) {
    const { id } = run
    const selection = await select(prepared)
    const { session = null, kind = 'agent', shard } = options
    return dryResult({ prepared, selection }, { id, session, kind, shard, tell: tellerOf(log, run) })
  }
  // Workers need the keys of models, and refuse a run without.
  if (options.distribute === undefined) refuseMissingKeys([prepared.settings])
  const { store, close } = storeOf(experiment)
  try {
    const checked = await checkItems(prepared, options, store)
    const open = await begin(checked, options, { log, cancellation, run, store })
    await performAll([open], prepared.settings.concurrency)
    return await open.finish()
  } finally {
    await close()
  }
}

/** The store, events and cancellation of a run. */
export interface RunPlace {
  readonly store: ResultStore
  readonly log: EventLog
  readonly cancellation: Cancellation
  /** Its id, which changes if another run turns out to be the one to resume. */
  readonly run: { id: string }
}

/** A run that has passed all checks. */
export interface CheckedRun {
  readonly prepared: Prepared
  readonly selection: Selection
  /** The stored run that is resumed, locked; `null` for a new one. */
  readonly stored: OpenedRun | null
  /** The run in a queue that is followed. */
  readonly queued: QueuedRun | null
  /** Warnings about its plan, emitted when it has begun. */
  readonly notices: readonly string[]
}

/** Checks the options of an experiment and of a run. */
export async function checkOptionsOf(experiment: ExperimentOptions, options: RunExperimentOptions): Promise<Prepared> {
  return prepare(experiment, options?.variant, runIssues(experiment, options))
}

/**
 * Checks the selected items of a run. A resumed run keeps the items that it began with, unless it is widened.
 *
 * @param plan the trials of a run that has not begun, if its session has stored them
 */
export async function checkItems(
  prepared: Prepared,
  options: RunExperimentOptions,
  store: ResultStore,
  plan: TrialPlan | null = null,
): Promise<CheckedRun> {
  const { resume, retryErrors = false, widen = false, kind, distribute, shard } = options
  const { settings } = prepared
  const known =
    resume === 'latest'
      ? await newestUnfinished(store, settings.name, settings.variant, retryErrors, kind, shard)
      : resume
  if (known === undefined) {
    const planned = plan === null ? prepared : { ...prepared, settings: settingsOfPlan(settings, plan) }
    return { prepared: planned, selection: await runnable(planned, options), stored: null, queued: null, notices: [] }
  }
  const queued = (await distribute?.queue.runs())?.find(({ manifest }) => manifest.id === known) ?? null
  const stored = queued === null ? await store.resume(known) : null
  try {
    const { manifest } = queued ?? stored ?? runUnknown(known)
    const own = widen ? null : storedPlan(manifest)
    if (own === null) return { prepared, selection: await runnable(prepared, options), stored, queued, notices: [] }
    const planned = { ...prepared, settings: settingsOfPlan(settings, own) }
    const notice = otherPlanNotice(settings, manifest, own)
    const selection = await runnable(planned, options)
    return { prepared: planned, selection, stored, queued, notices: notice === null ? [] : [notice] }
  } catch (thrown) {
    await stored?.writer.release()
    throw thrown
  }
}

/** The selected items; refuses to begin while the key of a model is missing that judges of items call. */
async function runnable(prepared: Prepared, { distribute }: RunExperimentOptions): Promise<Selection> {
  const selection = await select(prepared)
  if (distribute === undefined) refuseMissingKeys(selection.juries.own.map((jury) => ({ jury })))
  return selection
}

/** Opens a new or resumed run in its store, and emits `experiment-start`. */
export async function begin(
  checked: CheckedRun,
  options: RunExperimentOptions,
  { store, log, cancellation, run }: RunPlace,
): Promise<OpenRun> {
  const { session = null, kind = 'agent', retryErrors = false, widen = false, distribute, shard } = options
  const opening: Opening = {
    ...checked,
    store,
    runId: run.id,
    session,
    kind,
    resuming: { retryErrors, widen },
    shard,
    cancellation,
    tell: tellerOf(log, run),
    opened(id) {
      run.id = id
    },
  }
  return distribute === undefined ? openRun(opening) : openQueuedRun(opening, distribute, checked.queued)
}

/** Emits events of a run to a log. */
export function tellerOf(log: EventLog, run: { readonly id: string }): Tell {
  return (event) => log.push({ at: now(), runId: run.id, ...event })
}
