import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentResult } from '../result/records.js'
import { type RunOverview, resultWithItems } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { RunSession, VariantEntry } from '../store/sessions.js'
import type { ResultStore } from '../store/store.js'
import { type Cancellation, cancellation, stopOnSignal } from './cancellation.js'
import { checkRun, prepare, refuseChanges, storeOf } from './check-run.js'
import type { Deciding } from './decide.js'
import { experimentIssues, refuseIssues, withMatrix } from './define-experiment.js'
import { type EventLog, type ExperimentEvent, eventLog, now } from './events.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { modelUsersIn, refuseMissingKeys } from './models.js'
import { type OpenRun, runTrials } from './open-run.js'
import { begin, eventWriter } from './run-experiment.js'
import { type RunExperimentOptions, type SessionOptions, sessionIssues, variantNames } from './run-options.js'
import { withSequentialPlan } from './sequential-run.js'
import {
  bareEntry,
  createSession,
  endedEntry,
  knownSession,
  metadataWithPlan,
  presentPlan,
  sessionName,
  sessionPlanOf,
  variantsToResume,
  widenSession,
} from './session-plan.js'
import { settingsOf } from './settings.js'
import type { Trial, TrialPlan } from './trials.js'

/**
 * Runs the variants of an experiment, one run each, in one session: one after the other, or item by item so that drift over
 * time affects all equally. Starts immediately. A variant that rejects is recorded as failed; a session that is cancelled stays
 * `running`, to be resumed.
 *
 * @returns the session: the events of its runs by iterating, and its `result`. With `resume` the variants, items and repetitions are
 * those that it began with, whatever the options select now. With `resume` and no name, `session` is that
 * of the newest one that is not over from the first event on. A session without a name is named for the second in which
 * it began, UTC (`20261121-091500`), the next ones of that second `…-2`, `…-3`
 * @throws (through `result`) `experiment-invalid`; `name-duplicate` when there is such a session and `resume` is not asked
 * for; `run-locked` when a run of a session to continue is being written; `run-mismatch` for a variant that such a session
 * was not begun with; what the store throws. The error of a variant is in the session's record and not thrown
 *
 * @example
 * import { completed, runSession } from '@jurist/experiment'
 *
 * const session = runSession(
 *   {
 *     name: 'sums',
 *     dataset: [{ id: 'two', task: 'What is 1 + 1?' }],
 *     agent: async () => completed('2'),
 *     variants: { baseline: {}, candidate: { agent: async () => completed('two') } },
 *   },
 *   { order: 'item' },
 * )
 * const { results } = await session.result
 * console.log(results.baseline?.passRate, results.candidate?.passRate)
 */
export function runSession<Variant extends string>(
  experiment: ExperimentOptions<Variant> | Experiment<Variant>,
  options: SessionOptions<NoInfer<Variant>> = {},
): SessionRun<Variant> {
  const log = eventLog()
  const naming = { session: options?.session ?? sessionName(new Date()) }
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const overview = execute(withMatrix(experiment), options, log, naming).finally(() => log.end())
  // A caller may read the events only: an unread rejection must not be reported as unhandled.
  overview.catch(() => undefined)
  let result: SessionRun<Variant>['result'] | undefined
  return Object.freeze({
    get session() {
      return naming.session
    },
    overview: overview as SessionRun<Variant>['overview'],
    get result() {
      result ??= overview.then(withItems) as SessionRun<Variant>['result']
      return result
    },
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
  })
}

/** A session under way. */
export interface SessionRun<Variant extends string = string> extends AsyncIterable<ExperimentEvent> {
  readonly session: string
  /** The runs without their items in memory, by variant. */
  readonly overview: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, RunOverview>>>
  }>
  /** The runs with their items, which are read from the store when this is first used. */
  readonly result: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, ExperimentResult>>>
  }>
}

type Overviews = { readonly [variant: string]: RunOverview }

async function withItems({ session, results }: { readonly session: RunSession; readonly results: Overviews }) {
  const whole: { [variant: string]: ExperimentResult } = {}
  for (const [variant, run] of Object.entries(results)) whole[variant] = await resultWithItems(run)
  return { session, results: whole }
}

async function execute(
  experiment: ExperimentOptions,
  options: SessionOptions,
  log: EventLog,
  naming: { session: string },
): Promise<{ readonly session: RunSession; readonly results: Overviews }> {
  const issues = [...experimentIssues(experiment), ...sessionIssues(experiment, options)]
  if (issues.length > 0) refuseIssues(experiment, issues)
  // A variant that cannot begin is recorded as failed; problems of all variants are refused before there is a session.
  await refuseChanges(settingsOf(experiment, null))
  // Workers need the keys of models, and refuse a run without.
  if (options.distribute === undefined)
    refuseMissingKeys(modelUsersIn(experiment, options.variants ?? variantNames(experiment)))
  const { store, close } = storeOf(experiment)
  try {
    const work = await sessionWork(experiment, options, store, naming.session)
    const { begun, planned } = work
    const { session, experimentName } = begun
    naming.session = session
    const { results, failed, interrupted } = await runVariants({
      ...{ ...work, experiment, options, store, log },
      decided: { with: undefined, here: [] },
    })
    const isLeft = interrupted || (!failed && (await isUnfinished(store, begun, planned)))
    // A session that was cancelled, or that lacks some variants, stays open.
    const ended = isLeft
      ? await store.sessions.load(experimentName, session)
      : await store.sessions.finish(experimentName, session, failed ? 'failed' : 'completed')
    return { session: ended ?? begun, results }
  } finally {
    await close()
  }
}

interface PlannedWork {
  readonly begun: RunSession
  readonly variants: readonly string[]
  readonly planned: readonly string[]
  /** The plan for variants that have not begun; `null`: the current options apply. */
  readonly plan: TrialPlan | null
}

/** The record of a session that begins or continues, with its pending variants. */
async function sessionWork(
  experiment: ExperimentOptions,
  options: SessionOptions,
  store: ResultStore,
  wanted: string,
): Promise<PlannedWork> {
  const { resume = false, widen = false, session } = options
  const all = variantNames(experiment)
  const known = resume ? await knownSession(store, experiment.name, session) : undefined
  if (known === undefined) {
    const metadata = metadataWithPlan({}, await presentPlan(experiment, options))
    const begun = await createSession(store, experiment.name, wanted, { session, metadata })
    const variants = options.variants ?? all
    return { begun, variants, planned: variants, plan: null }
  }
  const plan = sessionPlanOf(known)
  const variants = variantsToResume(known, plan, options, all)
  // A run that workers run is followed.
  if (options.distribute === undefined) await refuseLocked(store, known, variants)
  if (widen) await widenSession(store, known, plan, await presentPlan(experiment, options))
  const planned = [...new Set([...(plan?.variants ?? []), ...variants])]
  return { begun: known, variants, planned, plan: widen ? null : plan }
}

/** Refuses to continue a session while a run of it is being written: throws `run-locked`. */
async function refuseLocked(store: ResultStore, { variants }: RunSession, wanted: readonly string[]): Promise<void> {
  for (const { variant, runId, status } of variants) {
    if (status === 'completed' || !wanted.includes(variant)) continue
    if ((await store.overview(runId)) !== undefined) await (await store.resume(runId)).writer.release()
  }
}

async function isUnfinished(
  { sessions }: ResultStore,
  { experimentName, session }: RunSession,
  planned: readonly string[],
): Promise<boolean> {
  const entries = (await sessions.load(experimentName, session))?.variants ?? []
  const over = entries.filter(({ status }) => status === 'completed' || status === 'stopped' || status === 'failed')
  return planned.some((variant) => !over.some((entry) => entry.variant === variant))
}

interface SessionWork {
  readonly experiment: ExperimentOptions
  readonly options: SessionOptions
  readonly variants: readonly string[]
  readonly planned: readonly string[]
  /** The plan for variants that have not begun; `null`: the current options apply. */
  readonly plan: TrialPlan | null
  readonly begun: RunSession
  readonly store: ResultStore
  /** Stops the variants when they are decided; set once the first of them has begun. */
  readonly decided: { with: Deciding | undefined; here: readonly string[] }
  readonly log: EventLog
}

interface SessionOutcome {
  readonly results: { readonly [variant: string]: RunOverview }
  readonly failed: boolean
  readonly interrupted: boolean
}

interface RunningVariant {
  readonly variant: string
  readonly run: { id: string }
  readonly open: OpenRun<Trial>
  readonly cancellation: Cancellation
  readonly concurrency: number
  readonly release: () => void
}

/** Runs variants in groups: those of one group trial by trial in turn, the groups one after the other. */
async function runVariants(work: SessionWork): Promise<SessionOutcome> {
  const { variants, options } = work
  const isTogether = options.order === 'item' || options.distribute !== undefined || (await stopsWhenDecided(work))
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

/** Whether the variants run item by item because they stop when they are decided, now or since the session began. */
async function stopsWhenDecided({ options, begun, store }: SessionWork): Promise<boolean> {
  if (options.until !== undefined) return true
  for (const { runId } of begun.variants) if ((await store.overview(runId))?.sequential !== undefined) return true
  return false
}

/** Returns whether a variant of the group failed. */
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
  }
  const here = group.filter((variant) => results[variant] === undefined)
  work.decided.here = here
  for (const variant of here) {
    if (failed && work.options.onVariantError === 'stop') break
    const begun = await beginVariant(work, variant)
    if (begun === null) failed = true
    else running.push(begun)
  }
  if (failed && work.options.onVariantError === 'stop')
    for (const { cancellation } of running) cancellation.stop('cancelled', 'another variant of the session failed')
  await runTrials(
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
      kind: options.kind,
      distribute: options.distribute,
      shard: options.shard,
      ...(options.onStop === undefined ? {} : { until: 'decided' as const, onStop: options.onStop }),
      ...(resume === undefined
        ? {}
        : { resume, retryErrors: options.retryErrors ?? false, widen: options.widen ?? false }),
    }
    const prepared = await prepare(experiment, settings)
    const asked = await checkRun(prepared, settings, store, run.id, work.plan)
    const sides = { variants: work.planned, here: work.decided.here }
    const { checked, ...planned } = await withSequentialPlan(asked, { options, store, ...sides }, work.decided.with)
    work.decided.with ??= planned.deciding
    const place = { store, tell: eventWriter(log, run), cancellation: stopping, run, ...planned }
    const open = await begin(checked, settings, place)
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

/** Records a variant's failure and emits a warning, so that the other variants can still run. */
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
