import { type JsonObject, JuristError } from '@jurist/core'
import { arrayOf, hasFields, option } from '@jurist/core/internal'
import { readSelection } from '../dataset/read-dataset.js'
import type { RunStatus } from '../result/records.js'
import type { RunOverview } from '../result/trial-figures.js'
import { plannedRepetitions } from '../store/run-head.js'
import type { RunSession, VariantEntry } from '../store/sessions.js'
import type { ResultStore } from '../store/store.js'
import { openedDataset } from './check-run.js'
import type { ExperimentOptions } from './experiment.js'
import { type SessionOptions, variantNames } from './run-options.js'
import type { TrialPlan } from './trials.js'

/** The plan that a session was started with, stored in the metadata of its record. */
export interface SessionPlan extends TrialPlan {
  readonly variants: readonly string[]
}

/**
 * The plan that a session is stored with; `null` for a session of an older version, or if its items could not be read.
 */
export function sessionPlanOf({ metadata }: RunSession): SessionPlan | null {
  const { plan } = metadata
  if (!hasFields<SessionPlan>(plan, { variants: names, items: names, repetitions: option.integer(1) })) return null
  const { variants, items, repetitions } = plan
  return { variants, items, repetitions }
}

const names = arrayOf('a non-empty array of strings', option.string, 1)

/** The metadata of a session with its plan. */
export function metadataWithPlan(metadata: JsonObject, plan: SessionPlan | null): JsonObject {
  return plan === null ? metadata : { ...metadata, plan: { ...plan } }
}

/** The plan that a session would get now; `null` if its items cannot be read, since each variant reports that itself. */
export async function presentPlan(experiment: ExperimentOptions, options: SessionOptions): Promise<SessionPlan | null> {
  const variants = options.variants ?? variantNames(experiment)
  try {
    const { selected } = await readSelection(await openedDataset(experiment), experiment.filter)
    const items = selected?.items.map(({ id }) => id) ?? []
    return items.length === 0 ? null : { variants, items, repetitions: experiment.repetitions ?? 1 }
  } catch {
    return null
  }
}

/**
 * The variants with which a session is resumed: those of its plan, or some of them.
 *
 * @throws `run-mismatch` for a variant that is not in the plan
 */
export function variantsToResume(
  { session }: RunSession,
  plan: SessionPlan | null,
  { variants: asked, widen = false }: SessionOptions,
  known: readonly string[],
): readonly string[] {
  if (plan === null || widen) return asked ?? known
  const other = asked?.find((variant) => !plan.variants.includes(variant))
  if (other === undefined) return asked ?? plan.variants
  const difference = { condition: 'variants', baseline: [...plan.variants], candidate: [...(asked ?? [])] }
  throw new JuristError(
    'run-mismatch',
    `Session ${session} began with the variants ${plan.variants.join(', ')}, and ${other} is not one of them. Leave ` +
      'it out, or add it with --widen, or "widen" in code.',
    { id: session, differences: [{ ...difference, reason: 'differs', allowed: false }] },
  )
}

/** Writes the plan of a session that was widened down, where the store can change it. */
export async function widenSession(
  { sessions }: ResultStore,
  begun: RunSession,
  earlier: SessionPlan | null,
  present: SessionPlan | null,
): Promise<void> {
  if (present === null) return
  const variants = [...new Set([...(earlier?.variants ?? []), ...present.variants])]
  const metadata = metadataWithPlan(begun.metadata, { ...present, variants })
  await sessions.describe?.(begun.experimentName, begun.session, metadata)
}

/**
 * Notes the runs of all variants of a session in it, as if they had run there.
 *
 * @param items the ids of the items that were planned
 */
export async function noteRuns(
  { sessions }: ResultStore,
  runs: readonly RunOverview[],
  items: readonly string[],
): Promise<void> {
  const [first] = runs
  if (first === undefined || first.session === null) return
  const { experimentName, session } = first
  const variants = runs.flatMap(({ variant }) => variant ?? [])
  const metadata = metadataWithPlan({}, { variants, items, repetitions: plannedRepetitions(first) })
  const known = await sessions.load(experimentName, session)
  if (known === undefined) await sessions.create({ session, experimentName, metadata })
  for (const run of runs)
    if (run.variant !== null) await sessions.put(experimentName, session, endedEntry(run.variant, run))
  if (runs.every(({ status }) => status === 'completed')) await sessions.finish(experimentName, session, 'completed')
}

/** The name of a session that is given none: the instant, in UTC. */
export function sessionName(at: Date): string {
  const [date = '', time = ''] = at.toISOString().split('T')
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}`
}

export async function createSession(
  { sessions }: ResultStore,
  experimentName: string,
  wanted: string,
  { session, metadata }: { readonly session: string | undefined; readonly metadata: JsonObject },
): Promise<RunSession> {
  return session === undefined
    ? await createNumbered(sessions, experimentName, wanted, metadata)
    : await sessions.create({ session: wanted, experimentName, metadata })
}

/** Two unnamed sessions may begin within one second: the later ones are `…-2`, `…-3`. */
async function createNumbered(
  sessions: ResultStore['sessions'],
  experimentName: string,
  wanted: string,
  metadata: JsonObject,
): Promise<RunSession> {
  for (let number = 1; ; number++) {
    const session = number === 1 ? wanted : `${wanted}-${number}`
    try {
      return await sessions.create({ session, experimentName, metadata })
    } catch (error) {
      if (!(error instanceof JuristError && error.code === 'name-duplicate')) throw error
    }
  }
}

/** The session to resume: by its name, otherwise the newest one that is not finished. */
export async function knownSession(
  { sessions }: ResultStore,
  experimentName: string,
  session: string | undefined,
): Promise<RunSession | undefined> {
  if (session !== undefined) return sessions.load(experimentName, session)
  const newest = await sessions.mostRecent(experimentName)
  return newest?.status === 'running' ? newest : undefined
}

/** The entry of a variant whose run has ended. */
export function endedEntry(variant: string, result: RunOverview): VariantEntry {
  const { id, status, passRate, costUsd, durationMs, counts } = result
  return { variant, runId: id, status, passRate, trials: counts.run, costUsd, durationMs }
}

/** The entry of a variant whose run has begun, or about which nothing else is known. */
export function bareEntry(variant: string, runId: string, status: RunStatus): VariantEntry {
  return { variant, runId, status, passRate: null, trials: 0, costUsd: null, durationMs: 0 }
}
