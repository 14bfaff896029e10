import type { JsonObject } from '@jurist/core'
import type { ExperimentOptions } from '@jurist/experiment'
import { newestUnfinished, storeOf } from '@jurist/experiment/internal'
import type { RunOverview } from '@jurist/experiment/internal/results'
import type { ResultStore } from '@jurist/experiment/store'

type Stored = Pick<ExperimentOptions, 'name' | 'store'>

/**
 * Two runs that belong together: of `establish`, the one that searches for named tests and the one in which they decide;
 * of mutants, the one of all trials and the one in which failed variants are judged again.
 */
export interface PairedRuns {
  readonly found?: string
  readonly decided?: string
}

/** The metadata of the second run. */
export function foundInRun(runId: string): JsonObject {
  return { foundIn: runId }
}

/**
 * Returns the runs to resume: those that belong to the run with this id, or with `latest` to the newest unfinished one,
 * if any.
 */
export async function pairedRuns(
  { name, store }: Stored,
  resume: string,
  kind: 'establish' | 'mutate',
): Promise<PairedRuns> {
  return withStore(store, async (opened) => {
    const id = resume === 'latest' ? await newestUnfinished(opened, { name, variant: null }, { kind }) : resume
    if (id === undefined) return {}
    const foundIn = (await opened.overview(id))?.metadata['foundIn']
    if (typeof foundIn === 'string') return { found: foundIn, decided: id }
    for await (const run of overviews(opened, name, [kind]))
      if (run.metadata['foundIn'] === id) return { found: id, decided: run.id }
    return { found: id }
  })
}

/** The runs of a vetting. Runs that did not begin are missing. */
export interface VettingRuns {
  readonly vetting: string
  readonly establish?: string
  readonly probe?: string
  readonly mutate?: string
}

/** The metadata of each run of a vetting. */
export function partOfVetting(vetting: string): JsonObject {
  return { vetting }
}

/** Returns the runs of the newest vetting, unless it is finished. */
export async function unfinishedVetting({ name, store }: Stored): Promise<VettingRuns | undefined> {
  return withStore(store, async (opened) => {
    let found: VettingRuns | undefined
    let isFinished = true
    for await (const { id, kind, status, counts, metadata } of overviews(opened, name, vettingKinds)) {
      const { vetting, foundIn } = metadata
      if (typeof vetting !== 'string') continue
      if (found !== undefined && found.vetting !== vetting) break
      if (kind === 'mutate') {
        isFinished &&= status === 'completed' && counts.notRun === 0
        if (isFinished) return undefined
      }
      if (foundIn === undefined) found = { ...found, vetting, [kind]: id }
    }
    return found
  })
}

const vettingKinds = ['establish', 'probe', 'mutate'] as const

async function* overviews(
  store: ResultStore,
  experimentName: string,
  kinds: readonly RunOverview['kind'][],
): AsyncGenerator<RunOverview> {
  for await (const { id, kind } of store.list({ experimentName })) {
    const overview = kinds.includes(kind) ? await store.overview(id) : undefined
    if (overview !== undefined) yield overview
  }
}

async function withStore<Found>(store: Stored['store'], find: (store: ResultStore) => Promise<Found>): Promise<Found> {
  const { store: opened, close } = storeOf({ store })
  try {
    return await find(opened)
  } finally {
    await close()
  }
}
