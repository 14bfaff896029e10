import { JuristError } from '@jurist/core'
import type { RunOverview, RunResult } from '../result/trial-figures.js'
import type { ResultStore, RunEntry } from '../store/store.js'

/**
 * The run to compare with: the one named by `explicit`, else the one that the run itself names as its baseline, else (or where
 * that is `latest`) the newest completed run of the same name and variant (else of the same name) that started before it, and is of the same kind. Excluded runs, rejudged
 * ones and the run itself are never chosen by themselves.
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
  current: RunResult,
  explicit?: string,
): Promise<RunOverview | undefined> {
  const id = explicit ?? current.baseline
  if (id !== null && id !== 'latest') return loadIfKnown(store, id)
  const entry = await newestBefore(store, current)
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

/** Among the runs before, newest first: one of the same variant, else the first one. */
async function newestBefore(store: ResultStore, current: RunResult): Promise<RunEntry | undefined> {
  const { experimentName, startedAt, variant, id } = current
  const kind = current.kind === 'rejudge' ? 'agent' : current.kind
  const query = { experimentName, kind, status: 'completed', before: startedAt } as const
  let other: RunEntry | undefined
  for await (const entry of store.list(query)) {
    if (entry.id === id || entry.shard !== undefined) continue
    if (entry.variant === variant) return entry
    other ??= entry
  }
  return other
}
