import type { ResultStore, RunEntry } from '@jurist/experiment/store'

/** Why a run is needed, by its id. */
type Needs = ReadonlyMap<string, readonly string[]>

/** What a run refers to. */
interface References {
  readonly baseline: string | null
  /** The runs that it was made of: judged again, or merged. */
  readonly sources: readonly string[]
}

/** Says why runs are needed by what stays. */
export interface NeedsReader {
  /** The runs among `leaving` that what stays needs. `entries`: all runs of the store. */
  readonly of: (entries: readonly RunEntry[], leaving: ReadonlySet<string>) => Promise<Needs>
}

/**
 * Reads which runs need which from a store; each run is read once. A run is needed by its labels, by a sweep, by a session with
 * another run that stays, as the source of a run that stays, and as the baseline of one. A run that stays only as a baseline
 * keeps no baseline of its own: a chain of nightly runs would keep all of them.
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
      // Last: a run that stays as a baseline alone keeps nothing.
      for (const { id } of staying()) {
        const { baseline } = await references(id)
        if (baseline !== null) add(baseline, `the baseline of ${id}`)
      }
      return needs
    },
  }
}

/** Why a run is needed, whatever stays. */
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

/** As in the references of the command. */
const shortestPrefix = 8

/** The ids of the runs of each session of several runs. */
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

/** The sweeps that runs of an experiment resolve, by run. */
async function runsOfSweeps({ sweeps }: ResultStore, experimentName: string): Promise<ReadonlyMap<string, string>> {
  const found = await sweeps.list(experimentName)
  return new Map(
    found.flatMap(({ sweep, resolved }) => Object.values(resolved).map(({ runId }) => [runId, sweep] as const)),
  )
}

/** Files that are read at the same time. */
const together = 32

/** Runs `action` for every entry, some at the same time. */
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
