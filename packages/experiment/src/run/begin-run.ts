import { failureOf } from '@jurist/core/internal'
import type { ResultStore } from '../store/store.js'
import type { Cancellation } from './cancellation.js'
import type { EventLog, Tell } from './event-log.js'
import { now } from './event-log.js'
import type { ExperimentOptions } from './experiment.js'
import { type OpenRun, openRun } from './open-run.js'
import { type Prepared, prepare } from './prepare.js'
import { newestUnfinished, type OpenedRun } from './resume.js'
import type { RunExperimentOptions } from './run-options.js'
import { runIssues } from './run-rules.js'
import { type Selection, select } from './selection.js'
import { otherPlanNotice, settingsOfPlan, storedPlan, type TrialPlan } from './stored-plan.js'

/** Where a run takes place. */
export interface RunPlace {
  readonly store: ResultStore
  readonly log: EventLog
  readonly cancellation: Cancellation
  /** Its id, which changes when another run turns out to be the one that goes on. */
  readonly run: { id: string }
}

/** A run that may begin: everything about it was found to be good. */
export interface CheckedRun {
  readonly prepared: Prepared
  readonly selection: Selection
  /** The stored run that goes on, held; `null` for a new one. */
  readonly stored: OpenedRun | null
  /** What is said of its plan when it has begun. */
  readonly notices: readonly string[]
}

/** Checks the options of an experiment and of a run. */
export async function checkOptionsOf(experiment: ExperimentOptions, options: RunExperimentOptions): Promise<Prepared> {
  return prepare(experiment, options?.variant, runIssues(experiment, options))
}

/**
 * Checks the selected items of a run. Those of a stored run that goes on are the ones that it was begun with, unless it is
 * to be widened.
 *
 * @param plan the trials of a run that has not begun, when its session knows them
 */
export async function checkItems(
  prepared: Prepared,
  options: RunExperimentOptions,
  store: ResultStore,
  plan: TrialPlan | null = null,
): Promise<CheckedRun> {
  const { resume, retryErrors = false, widen = false } = options
  const { settings } = prepared
  const known =
    resume === 'latest' ? await newestUnfinished(store, settings.name, settings.variant, retryErrors) : resume
  if (known === undefined) {
    const planned = plan === null ? prepared : { ...prepared, settings: settingsOfPlan(settings, plan) }
    return { prepared: planned, selection: await select(planned), stored: null, notices: [] }
  }
  const stored = await store.resume(known)
  try {
    const own = widen ? null : storedPlan(stored.manifest)
    if (own === null) return { prepared, selection: await select(prepared), stored, notices: [] }
    const planned = { ...prepared, settings: settingsOfPlan(settings, own) }
    const notice = otherPlanNotice(settings, stored.manifest.configuration, own)
    return { prepared: planned, selection: await select(planned), stored, notices: notice === null ? [] : [notice] }
  } catch (thrown) {
    await stored.writer.release()
    throw thrown
  }
}

/** Opens a run in its store, or the stored one that goes on, and tells that it has begun. */
export async function begin(
  checked: CheckedRun,
  options: RunExperimentOptions,
  { store, log, cancellation, run }: RunPlace,
): Promise<OpenRun> {
  const { session = null, retryErrors = false, widen = false } = options
  return openRun({
    ...checked,
    store,
    runId: run.id,
    session,
    resuming: { retryErrors, widen },
    cancellation,
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
export function stopOnSignal(signal: AbortSignal | undefined, cancellation: Cancellation): () => void {
  if (!(signal instanceof AbortSignal)) return () => {}
  const stop = () => cancellation.stop('cancelled', failureOf(signal.reason).message)
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return () => signal.removeEventListener('abort', stop)
}
