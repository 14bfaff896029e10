import type { ResultStore, RunEntry } from '@jurist/experiment/store'

/** The reasons why a run is needed, by its id. */
type Needs = ReadonlyMap<string, readonly string[]>

/** The runs that a run refers to. */
interface References {
  readonly baseline: string | null
  /** The runs from which it was made by rejudging or merging. */
  readonly sources: readonly string[]
}

export interface NeedsReader {
  /** Returns the runs among `leaving` that the remaining runs need. `entries` contains all runs of the store. */
  readonly of: (entries: readonly RunEntry[], leaving: ReadonlySet<string>) => Promise<Needs>
}

/**
 * Finds out which runs need which others; each run is read once. A run is needed if it has labels, belongs to a sweep
 * or to a session with another remaining run, or is the source or the baseline of a remaining run. A run that remains
 * only as a baseline does not keep its own baseline: otherwise a chain of nightly runs would keep all of them.
 *
 * @param baselines references to runs that the config names as baselines
 */
export function needsReader(store: ResultStore, baselines: readonly string[]): NeedsReader {
  const references = remembered((id) => referencesOf(store, id))
  const ownReasons = ownReasonsIn(store, baselines)
  return {
    async of(entries, leaving) {
      const needs = new Map<string, string[]>()
      const add = (id: string, reason: string) => {
        const known = needs.get(id) ?? []
        if (leaving.has(id) && !known.includes(reason)) needs.set(id, [...known, reason])
      }
      const staying = () => entries.filter(({ id }) => !leaving.has(id) || needs.has(id))
      const sessions = sessionsOf(entries)
      await eachOf(
        entries.filter(({ id }) => leaving.has(id)),
        async (entry) => {
          for (const reason of await ownReasons(entry)) add(entry.id, reason)
        },
      )
      const done = new Set<string>()
      for (let left = staying(); left.length > 0; left = staying().filter(({ id }) => !done.has(id))) {
        await eachOf(left, ({ id }) => references(id))
        for (const entry of left) {
          done.add(entry.id)
          for (const id of (await references(entry.id)).sources) add(id, `the source of ${entry.id}`)
          for (const id of sessions.get(sessionOf(entry)) ?? [])
            add(id, `the session ${entry.session}, whose other runs stay`)
        }
      }
      // Baselines come last, since a run that stays only as a baseline keeps no other run.
      for (const { id } of staying()) {
        const { baseline } = await references(id)
        if (baseline !== null) add(baseline, `the baseline of ${id}`)
      }
      return needs
    },
  }
}

/** Returns the reasons why a run is needed, independent of the remaining runs. */
function ownReasonsIn(
  store: ResultStore,
  baselines: readonly string[],
): (entry: RunEntry) => Promise<readonly string[]> {
  const sweeps = remembered((experiment) => runsOfSweeps(store, experiment))
  return async (entry) => {
    const { id, experimentName, status } = entry
    const swept = (await sweeps(experimentName)).get(id)
    const isNamed = baselines.some((baseline) => baseline.length >= shortestPrefix && id.startsWith(baseline))
    return [
      ...(status === 'running' ? ['it is being written'] : []),
      ...((await hasLabels(store, entry)) ? ['it has labels'] : []),
      ...(swept === undefined ? [] : [`the sweep ${swept}`]),
      ...(isNamed ? ['a baseline in the config'] : []),
    ]
  }
}

/** The same limit as for references to runs. */
const shortestPrefix = 8

/** Returns the ids of the runs of each session with several runs. */
function sessionsOf(entries: readonly RunEntry[]): ReadonlyMap<string, readonly string[]> {
  const sessions = new Map<string, string[]>()
  for (const entry of entries)
    if (entry.session !== null) sessions.set(sessionOf(entry), [...(sessions.get(sessionOf(entry)) ?? []), entry.id])
  return sessions
}

function sessionOf({ experimentName, session }: RunEntry): string {
  return JSON.stringify([experimentName, session])
}

async function referencesOf({ overview }: ResultStore, id: string): Promise<References> {
  const run = await overview(id)
  const { baseline = null, lineage = null, merged = [] } = run ?? {}
  return { baseline, sources: [...(lineage === null ? [] : [lineage.rejudgedFrom, lineage.root]), ...merged] }
}

async function hasLabels({ files, labels }: ResultStore, run: RunEntry): Promise<boolean> {
  const { id } = run
  if (labels !== undefined && (await labels.read(run)) !== '') return true
  return ((await files?.(id)) ?? []).some(({ path, bytes }) => path === 'labels.jsonl' && bytes > 0)
}

/** Returns the sweep of each run that a sweep of the experiment refers to. */
async function runsOfSweeps({ sweeps }: ResultStore, experimentName: string): Promise<ReadonlyMap<string, string>> {
  const found = await sweeps.list(experimentName)
  return new Map(
    found.flatMap(({ sweep, resolved }) => Object.values(resolved).map(({ runId }) => [runId, sweep] as const)),
  )
}

/** The maximum number of files that are read concurrently. */
const together = 32

/** Runs `action` for every entry, with limited concurrency. */
export async function eachOf<Entry>(
  entries: readonly Entry[],
  action: (entry: Entry) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < entries.length; at += together) await Promise.all(entries.slice(at, at + together).map(action))
}

function remembered<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>()
  return (key) => {
    const found = known.get(key) ?? read(key)
    known.set(key, found)
    return found
  }
}
