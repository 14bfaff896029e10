import { JuristError } from '@jurist/core'
import type { ExperimentResult } from '@jurist/experiment/result'
import type { ResultStore, RunEntry } from '@jurist/experiment/store'
import type { Shelf } from './answers/shelf.js'

/** A run of a hundred thousand trials takes seconds to read, and hundreds of megabytes to keep. */
const mostKept = 4
/** A list, or a running run, may be as old as this. */
const freshMs = 900

interface Kept {
  readonly result: Promise<ExperimentResult | undefined>
  readonly entry: string
}

/** A store as a shelf: runs that were looked at lately stay in memory, and are read again when their entry changes. */
export function loadedRuns(store: ResultStore, warnings: () => readonly string[] = () => []): Shelf {
  const kept = new Map<string, Kept>()
  /** What was made of runs, by the id of the run and the name of the value. */
  const made = new Map<string, { readonly entry: string; readonly value: unknown }>()
  let listed: { readonly at: number; readonly entries: Promise<readonly RunEntry[]> } | undefined

  const entries = () => {
    if (listed === undefined || performance.now() - listed.at > freshMs)
      listed = { at: performance.now(), entries: entriesOf(store) }
    return listed.entries
  }
  const entryOf = async (id: string) => JSON.stringify((await entries()).find((one) => one.id === id) ?? null)
  const shelf: Shelf = {
    entries,
    warnings,
    async derived(id, name, of) {
      const key = `${id} ${name}`
      const entry = await entryOf(id)
      const known = made.get(key)
      if (known?.entry === entry) return known.value as ReturnType<typeof of>
      const run = await shelf.run(id)
      if (run === undefined) return undefined
      const value = of(run)
      made.set(key, { entry, value })
      return value
    },
    async run(id) {
      const entry = await entryOf(id)
      const known = kept.get(id)
      kept.delete(id)
      const now = known?.entry === entry ? known : { entry, result: loaded(store, id) }
      kept.set(id, now)
      const [oldest] = kept.keys()
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
      try {
        return await now.result
      } catch (thrown) {
        kept.delete(id)
        throw thrown
      }
    },
  }
  return shelf
}

async function entriesOf(store: ResultStore): Promise<readonly RunEntry[]> {
  const entries: RunEntry[] = []
  for await (const entry of store.list({ includeExcluded: true })) entries.push(entry)
  return entries
}

/** Text that can be no run id names nothing. */
async function loaded(store: ResultStore, id: string): Promise<ExperimentResult | undefined> {
  try {
    return await store.load(id)
  } catch (thrown) {
    if (JuristError.is(thrown, 'run-unknown')) return undefined
    throw thrown
  }
}
