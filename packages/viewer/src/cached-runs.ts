import { createHash } from 'node:crypto'
import { JuristError } from '@jurist/core'
import { scanKept } from '@jurist/experiment/internal'
import { trialsOf } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import type { ResultStore, RunEntry } from '@jurist/experiment/store'
import type { RunReader } from './answers/run-reader.js'
import { runLabels } from './files/stored-labels.js'

/** A run of 100,000 trials takes seconds to read and hundreds of megabytes to keep. A session has many smaller runs. */
const maxCachedTrials = 400_000
/** The least weight of a run. */
const leastTrials = 1_000
/** How long a listing of the store is used before the store is listed again. */
const listingLifetimeMs = 900

/** Reads runs from a store. The runs used last are cached, and read again when their entry in the store changes. */
export function cachedRuns(
  store: ResultStore,
  {
    directory,
    warnings = () => [],
  }: { readonly directory?: string | undefined; readonly warnings?: (() => readonly string[]) | undefined } = {},
): RunReader {
  const runs = cachedValues<RunResult | undefined>(maxCachedTrials, (run) =>
    Math.max(leastTrials, run === undefined ? 0 : trialsOf(run).length),
  )
  const values = cachedValues(maxCachedValues)
  const partsOfRuns = cachedValues(maxCachedParts)
  const scans = cachedValues(maxCachedScans)
  const entries = cachedListing(store)
  const entryOf = async (id: string) => JSON.stringify((await entries()).find((one) => one.id === id) ?? null)
  const reader: RunReader = {
    entries,
    warnings,
    labels: (run) => runLabels({ store, directory }, run),
    async scan(run) {
      const [found = '', said = ''] = await Promise.all([store.findings?.read(run), store.settlements?.read(run)])
      if (found === '') return null
      const state = createHash('sha256').update(`${found}\n${said}`).digest('hex')
      return scans.get(run.id, state, () => scanKept(store, run))
    },
    async derived(id, name, of) {
      return values.get(`${id} ${name}`, await entryOf(id), async () => {
        const run = await reader.run(id)
        return run && of(run)
      })
    },
    async combined(ids, name, { part, of }) {
      const states = await Promise.all(ids.map(entryOf))
      return values.get(`${ids.join(' ')} ${name}`, states.join('\n'), async () => {
        const parts: ReturnType<typeof part>[] = []
        for (const [index, id] of ids.entries()) {
          const found = await partsOfRuns.get(`${id} ${name}`, states[index] ?? '', async () => {
            const run = await reader.run(id)
            return run && { part: part(run) }
          })
          if (found === undefined) return undefined
          parts.push(found.part)
        }
        return of(parts)
      })
    },
    run: async (id) => runs.get(id, await entryOf(id), () => loaded(store, id)),
  }
  return reader
}

/** A few findings for each trial. */
const maxCachedScans = 1_000

/** Lists the store again when the last listing is too old. */
function cachedListing(store: ResultStore): () => Promise<readonly RunEntry[]> {
  let listing: { readonly at: number; readonly entries: Promise<readonly RunEntry[]> } | undefined
  return () => {
    if (listing === undefined || performance.now() - listing.at > listingLifetimeMs)
      listing = { at: performance.now(), entries: entriesOf(store) }
    return listing.entries
  }
}

/** These values are small: rows of tables, tests of two runs. */
const maxCachedValues = 10_000
/**
 * Parts of runs for tests of several runs take some megabytes each. With them, only a run that changes is read again.
 */
const maxCachedParts = 12

/**
 * Caches values until what they are computed from changes, such as the entries of runs. Concurrent callers share one
 * computation. The values that were used longest ago are forgotten when all weigh more than `most`, but never the last
 * one.
 */
export function cachedValues<Any = unknown>(most: number, weightOf: (value: Any) => number = () => 1) {
  const values = new Map<string, { readonly entry: string; readonly value: Promise<Any>; weight: number }>()
  function forgetOldest(): void {
    let weight = [...values.values()].reduce((sum, value) => sum + value.weight, 0)
    for (const [key, value] of values) {
      if (weight <= most || values.size === 1) return
      weight -= value.weight
      values.delete(key)
    }
  }
  return {
    async get<Value extends Any>(key: string, entry: string, compute: () => Promise<Value>): Promise<Value> {
      const known = values.get(key)
      const current = known?.entry === entry ? known : { entry, value: compute() as Promise<Any>, weight: 0 }
      values.delete(key)
      values.set(key, current)
      try {
        const value = await current.value
        current.weight = weightOf(value)
        forgetOldest()
        return value as Value
      } catch (thrown) {
        values.delete(key)
        throw thrown
      }
    },
  }
}

async function entriesOf(store: ResultStore): Promise<readonly RunEntry[]> {
  const entries: RunEntry[] = []
  for await (const entry of store.list({ includeExcluded: true })) entries.push(entry)
  return entries
}

async function loaded(store: ResultStore, id: string): Promise<RunResult | undefined> {
  try {
    return await store.overview(id)
  } catch (thrown) {
    if (JuristError.is(thrown, 'run-unknown')) return undefined
    throw thrown
  }
}
