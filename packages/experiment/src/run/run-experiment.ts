import type { ExperimentResult } from '../result/records.js'
import { type RunOverview, resultWithItems } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import { begin, checkItems, checkOptionsOf, type RunPlace, stopOnSignal, tellerOf } from './begin-run.js'
import { cancellation } from './cancellation.js'
import { dryResult } from './dry-run.js'
import { eventLog } from './event-log.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { storeOf } from './open-store.js'
import { performAll } from './perform-all.js'
import type { ExperimentRun, RunExperimentOptions } from './run-options.js'
import { select } from './selection.js'

/**
 * Runs an experiment: every selected item, as often as asked for, through workspace, agent and jury, each result durable
 * before it is told. Starts at once.
 *
 * @returns the run: its events by iterating, its `result`, and `cancel`. With `resume: 'latest'` its `runId` is that of the
 * resumed run from the first event on
 * @throws (through `result`) `experiment-invalid` with every issue, `dataset-invalid`, `git-dirty`, `run-mismatch`,
 * `run-unknown`, `run-locked`, `store-failed`; never for what an agent, a judge, a hook or a reporter does
 *
 * @example
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
  const run = { id: firstId(options) }
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const release = stopOnSignal(options?.signal, stopping)
  const overview = execute(experiment, options, { log, cancellation: stopping, run }).finally(async () => {
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

async function execute(
  experiment: ExperimentOptions,
  options: RunExperimentOptions,
  { log, cancellation, run }: Omit<RunPlace, 'store'>,
): Promise<RunOverview> {
  const prepared = await checkOptionsOf(experiment, options)
  if (options.dryRun === true) {
    const { id } = run
    const selection = await select(prepared)
    return dryResult({ prepared, selection }, { id, session: options.session ?? null, tell: tellerOf(log, run) })
  }
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

function firstId({ runId, resume }: RunExperimentOptions = {}): string {
  return runId ?? (resume === undefined || resume === 'latest' ? newRunId() : resume)
}
