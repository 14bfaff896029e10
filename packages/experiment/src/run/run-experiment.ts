import { failureOf } from '@jurist/core'
import type { ExperimentResult } from '../result/records.js'
import { fileStore } from '../store/file-store.js'
import { memoryStore } from '../store/memory-store.js'
import { newRunId } from '../store/run-id.js'
import type { ResultStore } from '../store/store.js'
import { dryResult } from './dry-run.js'
import { type EventLog, eventLog, type Tell } from './event-log.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { now } from './instant.js'
import { openRun } from './open-run.js'
import { performAll } from './perform-all.js'
import { prepare } from './prepare.js'
import type { ExperimentRun, RunExperimentOptions } from './run-options.js'
import { runIssues } from './run-rules.js'
import { select } from './selection.js'
import { type Stopping, stopping } from './stopping.js'

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
  const brake = stopping()
  const run = { id: firstId(options) }
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const release = stopOnSignal(options?.signal, brake)
  const result = execute(experiment, options, { log, brake, run }).finally(async () => {
    release()
    await log.end()
  })
  // Whoever reads no result is told by the events: nothing is unhandled.
  result.catch(() => undefined)

  function cancel(reason = 'the run was cancelled'): void {
    brake.stop('cancelled', reason)
  }

  return Object.freeze<ExperimentRun>({
    get runId() {
      return run.id
    },
    result,
    cancel,
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
    async [Symbol.asyncDispose]() {
      cancel('the run was disposed of')
      await result.catch(() => undefined)
    },
  })
}

interface Running {
  readonly log: EventLog
  readonly brake: Stopping
  readonly run: { id: string }
}

async function execute(
  experiment: ExperimentOptions,
  options: RunExperimentOptions,
  { log, brake, run }: Running,
): Promise<ExperimentResult> {
  const prepared = await prepare(experiment, options?.variant, runIssues(experiment, options))
  const selection = await select(prepared)
  const tell: Tell = (event) => log.push({ at: now(), runId: run.id, ...event })
  const { session = null, resume, retryErrors = false, dryRun = false } = options
  if (dryRun) return dryResult(prepared, selection, { id: run.id, session, tell })
  const { store, close } = storeOf(experiment)
  try {
    const opened = (id: string) => {
      run.id = id
    }
    const open = await openRun({
      prepared,
      selection,
      store,
      runId: run.id,
      session,
      resume,
      retryErrors,
      stopping: brake,
      tell,
      opened,
    })
    await performAll([open], prepared.settings.concurrency)
    return await open.finish()
  } finally {
    await close()
  }
}

function firstId({ runId, resume }: RunExperimentOptions = {}): string {
  return runId ?? (resume === undefined || resume === 'latest' ? newRunId() : resume)
}

/** The store of an experiment; one that is made here is closed here. */
export function storeOf({ store = memoryStore() }: Pick<ExperimentOptions, 'store'>): {
  readonly store: ResultStore
  readonly close: () => Promise<void>
} {
  if (typeof store !== 'string') return { store, close: async () => {} }
  const files = fileStore(store)
  return { store: files, close: async () => files[Symbol.asyncDispose]() }
}

/** Cancels when the signal fires. Returns how to take that back. */
export function stopOnSignal(signal: AbortSignal | undefined, brake: Stopping): () => void {
  if (!(signal instanceof AbortSignal)) return () => {}
  const stop = () => brake.stop('cancelled', failureOf(signal.reason).message)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}
