import { failureOf } from '@jurist/core'
import type { ResultStore } from '../store/store.js'
import type { EventLog, Tell } from './event-log.js'
import type { ExperimentOptions } from './experiment.js'
import { now } from './instant.js'
import { type OpenRun, openRun } from './open-run.js'
import { type Prepared, prepare } from './prepare.js'
import type { RunExperimentOptions } from './run-options.js'
import { runIssues } from './run-rules.js'
import { type Selection, select } from './selection.js'
import type { Stopping } from './stopping.js'

/** Where a run takes place. */
export interface RunPlace {
  readonly store: ResultStore
  readonly log: EventLog
  readonly brake: Stopping
  /** Its id, which changes when another run turns out to be the one that goes on. */
  readonly run: { id: string }
}

/** A run that may begin: everything about it was found to be good. */
export interface CheckedRun {
  readonly prepared: Prepared
  readonly selection: Selection
}

/** Checks the options of an experiment and of a run, and the selected items. */
export async function check(experiment: ExperimentOptions, options: RunExperimentOptions): Promise<CheckedRun> {
  const prepared = await prepare(experiment, options?.variant, runIssues(experiment, options))
  return { prepared, selection: await select(prepared) }
}

/** Opens a run in its store, or the stored one that goes on, and tells that it has begun. */
export async function begin(
  checked: CheckedRun,
  options: RunExperimentOptions,
  { store, log, brake, run }: RunPlace,
): Promise<OpenRun> {
  const { session = null, resume, retryErrors = false } = options
  return openRun({
    ...checked,
    store,
    runId: run.id,
    session,
    resume,
    retryErrors,
    stopping: brake,
    tell: tellerOf(log, run),
    opened(id) {
      run.id = id
    },
  })
}

/** Tells events of a run to a log. */
export function tellerOf(log: EventLog, run: { readonly id: string }): Tell {
  return (event) => log.push({ at: now(), runId: run.id, ...event })
}

/** Cancels when the signal fires. Returns how to take that back. */
export function stopOnSignal(signal: AbortSignal | undefined, brake: Stopping): () => void {
  if (!(signal instanceof AbortSignal)) return () => {}
  const stop = () => brake.stop('cancelled', failureOf(signal.reason).message)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}
