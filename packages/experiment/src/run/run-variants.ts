import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { RunOverview } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { RunSession, VariantEntry } from '../store/sessions.js'
import type { ResultStore } from '../store/store.js'
import { type Cancellation, cancellation, stopOnSignal } from './cancellation.js'
import { type EventLog, now } from './events.js'
import type { ExperimentOptions } from './experiment.js'
import { type OpenRun, performAll } from './perform-trials.js'
import { begin, checkItems, checkOptionsOf } from './run-experiment.js'
import type { RunExperimentOptions, SessionOptions } from './run-options.js'
import { bareEntry, endedEntry } from './session-plan.js'
import type { TrialPlan } from './trials.js'

/** What a session has to do. */
export interface SessionWork {
  readonly experiment: ExperimentOptions
  readonly options: SessionOptions
  readonly variants: readonly string[]
  /** What variants that have not begun are run with; `null`: what is asked for now. */
  readonly plan: TrialPlan | null
  readonly begun: RunSession
  readonly store: ResultStore
  readonly log: EventLog
}

/** How the variants of a session ended. */
export interface SessionOutcome {
  readonly results: { readonly [variant: string]: RunOverview }
  /** Whether a variant rejected. */
  readonly failed: boolean
  /** Whether the session was cancelled. */
  readonly interrupted: boolean
}

/** A variant whose run is under way. */
interface RunningVariant {
  readonly variant: string
  readonly run: { id: string }
  readonly open: OpenRun
  readonly cancellation: Cancellation
  readonly concurrency: number
  readonly release: () => void
}

/** Runs variants in groups: those of one group trial by trial in turn, the groups one after the other. */
export async function runVariants(work: SessionWork): Promise<SessionOutcome> {
  const { variants, options } = work
  const isTogether = options.order === 'item' || options.distribute !== undefined
  const groups = isTogether ? [variants] : variants.map((variant) => [variant])
  const results: { [variant: string]: RunOverview } = {}
  let failed = false
  for (const group of groups) {
    if (options.signal?.aborted === true || (failed && options.onVariantError === 'stop')) break
    if (await runGroup(work, group, results)) failed = true
  }
  const interrupted = options.signal?.aborted === true && Object.keys(results).length < variants.length
  const cancelled = Object.values(results).some(({ status }) => status === 'interrupted')
  return { results, failed, interrupted: interrupted || cancelled }
}

/** Whether one of the group failed. */
async function runGroup(
  work: SessionWork,
  group: readonly string[],
  results: { [variant: string]: RunOverview },
): Promise<boolean> {
  const running: RunningVariant[] = []
  let failed = false
  for (const variant of group) {
    const done = await earlierResult(work, variant)
    if (done !== undefined) results[variant] = done
    else if (failed && work.options.onVariantError === 'stop') break
    else {
      const begun = await beginVariant(work, variant)
      if (begun === null) failed = true
      else running.push(begun)
    }
  }
  if (failed && work.options.onVariantError === 'stop')
    for (const { cancellation } of running) cancellation.stop('cancelled', 'another variant of the session failed')
  await performAll(
    running.map(({ open }) => open),
    running[0]?.concurrency ?? 0,
  )
  for (const variant of running) {
    const result = await endVariant(work, variant)
    if (result === null) failed = true
    else results[variant.variant] = result
  }
  return failed
}

async function earlierResult(
  { begun, store, options }: SessionWork,
  variant: string,
): Promise<RunOverview | undefined> {
  const entry = begun.variants.find((entry) => entry.variant === variant)
  if (entry?.status !== 'completed' || options.widen === true) return undefined
  const result = await store.overview(entry.runId)
  const again = options.retryErrors === true && (result?.counts.undecided ?? 0) > 0
  // If a run was damaged since, its missing trials run again.
  return again || (result?.counts.notRun ?? 0) > 0 ? undefined : result
}

/** `null`: it could not begin, which is noted. */
async function beginVariant(work: SessionWork, variant: string): Promise<RunningVariant | null> {
  const { experiment, begun, store, log, options } = work
  const earlier = begun.variants.find((entry) => entry.variant === variant)
  const resume =
    earlier !== undefined && (await store.overview(earlier.runId)) !== undefined ? earlier.runId : undefined
  const run = { id: resume ?? newRunId() }
  const stopping = cancellation()
  const release = stopOnSignal(options.signal, stopping)
  try {
    const settings: RunExperimentOptions = {
      variant,
      session: begun.session,
      distribute: options.distribute,
      shard: options.shard,
      ...(resume === undefined
        ? {}
        : { resume, retryErrors: options.retryErrors ?? false, widen: options.widen ?? false }),
    }
    const prepared = await checkOptionsOf(experiment, settings)
    const checked = await checkItems(prepared, settings, store, work.plan)
    const open = await begin(checked, settings, { store, log, cancellation: stopping, run })
    await note(work, bareEntry(variant, run.id, 'running'))
    return { variant, run, open, cancellation: stopping, concurrency: prepared.settings.concurrency, release }
  } catch (thrown) {
    release()
    return noteFailure(work, variant, run.id, thrown)
  }
}

async function endVariant(work: SessionWork, { variant, run, open, release }: RunningVariant) {
  try {
    const result = await open.finish()
    await note(work, endedEntry(variant, result))
    return result
  } catch (thrown) {
    return await noteFailure(work, variant, run.id, thrown)
  } finally {
    release()
  }
}

/** What is wrong with one variant is no reason to lose the others: it is warned of and recorded. */
async function noteFailure(work: SessionWork, variant: string, runId: string, thrown: unknown): Promise<null> {
  const message = `The variant ${variant} failed: ${failureOf(thrown).message}`
  work.log.push({ at: now(), runId, type: 'warning', code: 'variant-failed', message, itemId: null })
  // A run that another process is writing is left out of the record.
  if (!JuristError.is(thrown, 'run-locked')) await note(work, bareEntry(variant, runId, 'failed'))
  return null
}

async function note({ store, begun }: SessionWork, entry: VariantEntry): Promise<void> {
  await store.sessions.put(begun.experimentName, begun.session, entry)
}
