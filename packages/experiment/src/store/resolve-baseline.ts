import { JuristError } from '@jurist/core'
import { baselineVariant } from '../result/run-kind.js'
import type { RunOverview, RunResult } from '../result/trial-figures.js'
import type { ResultStore, RunEntry } from './store.js'

/** The known facts of a run that looks for its baseline. It may not have begun. */
type BaselineSeeker = Pick<
  RunResult,
  'id' | 'experimentName' | 'kind' | 'variant' | 'session' | 'startedAt' | 'baseline'
>

/**
 * The run to compare with: the one named by `explicit`, else the one that the run itself names as its baseline; of
 * `variant:NAME` that variant in the session of the run. Without a name, and for `latest`: the newest completed run of the
 * same name, variant and kind that started before it, outside of its session. Excluded runs, rejudged ones and the run
 * itself are never chosen by themselves.
 *
 * @returns `undefined` without such a run. A run that was named and is unknown is not replaced by another
 *
 * @example
 * import { compare, resolveBaseline } from '@jurist/experiment/compare'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * const store = fileStore('results')
 * const current = await store.mostRecent('add-readme')
 * const baseline = current && (await resolveBaseline(store, current))
 * if (current && baseline) console.log(compare(baseline, current).conclusion)
 */
export async function resolveBaseline(
  store: ResultStore,
  current: Pick<RunResult, 'id' | 'experimentName' | 'kind' | 'variant' | 'session' | 'startedAt' | 'baseline'>,
  explicit?: string,
): Promise<RunOverview | undefined> {
  const id = explicit ?? current.baseline
  const variant = baselineVariant(id)
  if (id !== null && id !== 'latest' && variant === undefined) return loadIfKnown(store, id)
  const entry = await (variant === undefined ? newestBefore(store, current) : inSession(store, current, variant))
  return entry === undefined ? undefined : store.overview(entry.id)
}

async function loadIfKnown(store: ResultStore, id: string): Promise<RunOverview | undefined> {
  try {
    return await store.overview(id)
  } catch (thrown) {
    if (JuristError.is(thrown, 'run-unknown')) return undefined
    throw thrown
  }
}

/** The newest run of a variant in the session of a run. */
async function inSession(
  store: ResultStore,
  { id, experimentName, session, kind }: BaselineSeeker,
  variant: string,
): Promise<RunEntry | undefined> {
  if (session === null) return undefined
  for await (const entry of store.list({ experimentName, session, variant, kind }))
    if (entry.id !== id && entry.shard === undefined) return entry
  return undefined
}

/** The newest run before the current one. */
async function newestBefore(store: ResultStore, current: BaselineSeeker): Promise<RunEntry | undefined> {
  const { experimentName, startedAt, variant, session } = current
  const kind = current.kind === 'rejudge' ? 'agent' : current.kind
  const query = { experimentName, kind, status: 'completed', before: startedAt } as const
  for await (const entry of store.list(query)) {
    const isOfSession = session !== null && entry.session === session
    if (entry.id !== current.id && entry.variant === variant && !isOfSession && entry.shard === undefined) return entry
  }
  return undefined
}
