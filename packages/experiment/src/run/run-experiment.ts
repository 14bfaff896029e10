import type { ExperimentResult } from '../result/records.js'
import { type RunOverview, resultWithItems } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import { cancellation, stopOnSignal } from './cancellation.js'
import { type CheckedRun, checkRun, prepare, storeOf } from './check-run.js'
import { withMatrix } from './define-experiment.js'
import { type EventLog, type ExperimentEvent, eventLog, now, type Tell } from './events.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { type OpenRun, openRun, type RunPlace, runTrials } from './open-run.js'
import { dryResult } from './plan.js'
import { openQueuedRun } from './queued-run.js'
import type { RunExperimentOptions } from './run-options.js'
import { withSequentialPlan } from './sequential-run.js'
import type { Trial } from './trials.js'

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
  const { runId, resume } = options ?? {}
  const run = { id: runId ?? (resume === undefined || resume === 'latest' ? newRunId() : resume) }
  return startedRun(run, options, (place) => execute(withMatrix(experiment), options, { ...place, run }))
}

/** Starts a run: its events, its result, and what stops it. */
export function startedRun(
  run: { readonly id: string },
  options: Pick<RunExperimentOptions, 'signal' | 'onEvent'> | undefined,
  perform: (place: Pick<RunPlace, 'tell' | 'cancellation'>) => Promise<RunOverview>,
): ExperimentRun {
  const log = eventLog()
  const stopping = cancellation()
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const release = stopOnSignal(options?.signal, stopping)
  const overview = perform({ tell: eventWriter(log, run), cancellation: stopping }).finally(async () => {
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
  place: Omit<RunPlace, 'store'>,
): Promise<RunOverview> {
  const prepared = await prepare(experiment, options)
  if (options.dryRun === true) return dryResult(prepared, options, place)
  const { store, close } = storeOf(experiment)
  try {
    const asked = await checkRun(prepared, options, store, place.run.id)
    const { checked, ...planned } = await withSequentialPlan(asked, { options, store, variants: null }, undefined)
    const open = await begin(checked, options, { ...place, store, ...planned })
    await runTrials([open], prepared.settings.concurrency)
    return await open.finish()
  } finally {
    await close()
  }
}

/** Opens a run whose trials run here, or in the workers of a queue, and emits `experiment-start`. */
export function begin(checked: CheckedRun, options: RunExperimentOptions, place: RunPlace): Promise<OpenRun<Trial>> {
  return options.distribute === undefined
    ? openRun(checked, options, place)
    : openQueuedRun(checked, options, options.distribute, place)
}

/** Emits events of a run to a log. */
export function eventWriter(log: EventLog, run: { readonly id: string }): Tell {
  return (event) => log.push({ at: now(), runId: run.id, ...event })
}
