import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultStore, RunEntry, RunSession } from '@jurist/experiment/store'

/** The reasons why a run is needed, by its id. */
type Needs = ReadonlyMap<string, readonly string[]>

/** The runs that a run refers to. */
interface References {
  readonly baseline: string | null
  /** The runs from which it was made by rejudging or merging. */
  readonly sources: readonly string[]
}

interface NeedsReader {
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
async function eachOf<Entry>(entries: readonly Entry[], action: (entry: Entry) => Promise<unknown>): Promise<void> {
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

/** The runs that may be removed. All given conditions must allow a removal. */
interface PrunePolicy {
  /** The number of newest runs of each experiment, variant and kind that are kept. */
  readonly keep: number
  /** Only runs that started before this time (milliseconds since 1970). */
  readonly before?: number
  /** Only runs of these experiments. */
  readonly experiments?: readonly string[]
  /** Whether unfinished runs may be removed as well. */
  readonly unfinished: boolean
}

/** Whether a run can be resumed, so that it is not a result yet. */
function isUnfinished({ status, counts }: RunEntry): boolean {
  return status !== 'completed' || counts.notRun > 0
}

/** Returns the runs that a policy allows to remove, oldest first. Runs that are being written are never removed. */
function leavingRuns(entries: readonly RunEntry[], policy: PrunePolicy): readonly RunEntry[] {
  const newest = newestRuns(entries, policy.keep)
  return entries
    .filter(
      (entry) =>
        !newest.has(entry.id) &&
        entry.status !== 'running' &&
        (policy.experiments?.includes(entry.experimentName) ?? true) &&
        (policy.unfinished || !isUnfinished(entry)) &&
        (policy.before === undefined || Date.parse(entry.startedAt) < policy.before),
    )
    .sort(byStart)
}

/** Returns the ids of the newest `keep` runs of each group. Excluded and unfinished runs are not counted. */
function newestRuns(entries: readonly RunEntry[], keep: number): ReadonlySet<string> {
  const counts = new Map<string, number>()
  const newest = new Set<string>()
  for (const entry of [...entries].sort(byStart).reverse()) {
    const group = groupOf(entry)
    const count = counts.get(group) ?? 0
    counts.set(group, count + 1)
    if (count < keep) newest.add(entry.id)
  }
  return newest
}

function groupOf(entry: RunEntry): string {
  const { experimentName, variant, kind, shard, excluded } = entry
  return JSON.stringify([experimentName, variant, kind, shard?.index ?? null, excluded !== null, isUnfinished(entry)])
}

function byStart(a: RunEntry, b: RunEntry): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt) || (a.id < b.id ? -1 : 1)
}

/** A run with the size of its files; `null` if the store does not report sizes. */
export interface SizedRun {
  readonly run: RunEntry
  readonly bytes: number | null
  /** The reasons why it is needed, if it is removed because it was named. */
  readonly reasons?: readonly string[]
}

export interface PrunePlan {
  /** The runs to remove, oldest first. */
  readonly going: readonly SizedRun[]
  /** Runs that the policy allows to remove, but that are needed. */
  readonly needed: readonly { readonly run: RunEntry; readonly reasons: readonly string[] }[]
  /** The current size of the files of all runs, if `maxBytes` was given. */
  readonly totalBytes: number | null
}

export interface Planning {
  readonly store: ResultStore
  readonly entries: readonly RunEntry[]
  readonly needs: NeedsReader
  /** The results directory of a file store. */
  readonly directory?: string | undefined
}

/** Plans the removal for a policy. With `maxBytes`, only as many of the oldest runs are removed as necessary. */
export async function prunePlan(planning: Planning, policy: PrunePolicy, maxBytes?: number): Promise<PrunePlan> {
  const allowed = leavingRuns(planning.entries, policy)
  if (maxBytes === undefined) {
    const { going, needed } = await unneeded(planning, allowed)
    const sizes = await sizesOf(planning.store, going)
    return { going: sized(going, sizes), needed, totalBytes: null }
  }
  const sizes = await sizesOf(planning.store, planning.entries)
  const totalBytes = sum([...sizes.values()])
  for (let count = countFor(totalBytes - maxBytes, allowed, sizes); ; ) {
    const { going, needed } = await unneeded(planning, allowed.slice(0, count))
    const excess = totalBytes - maxBytes - sum(going.map(({ id }) => sizes.get(id) ?? 0))
    if (excess <= 0 || count >= allowed.length) return { going: sized(going, sizes), needed, totalBytes }
    count += Math.max(1, countFor(excess, allowed.slice(count), sizes))
  }
}

/** Returns how many of the runs, in their order, use at least this many bytes. */
function countFor(bytes: number, runs: readonly RunEntry[], sizes: ReadonlyMap<string, number>): number {
  let [left, count] = [bytes, 0]
  while (left > 0 && count < runs.length) {
    left -= sizes.get(runs[count]?.id ?? '') ?? 0
    count += 1
  }
  return count
}

async function unneeded({ entries, needs, directory }: Planning, allowed: readonly RunEntry[]) {
  const linked = new Set<string>()
  if (directory !== undefined)
    await eachOf(allowed, async (run) => {
      if (!(await isWithin(directory, run))) linked.add(run.id)
    })
  const leaving = new Set(allowed.map(({ id }) => id).filter((id) => !linked.has(id)))
  const found = allowed.length === 0 ? new Map<string, readonly string[]>() : await needs.of(entries, leaving)
  const reasonsOf = ({ id }: RunEntry) =>
    linked.has(id) ? ['its directory is a link, which is not followed'] : found.get(id)
  return {
    going: allowed.filter((run) => reasonsOf(run) === undefined),
    needed: allowed.flatMap((run) => {
      const reasons = reasonsOf(run)
      return reasons === undefined ? [] : [{ run, reasons }]
    }),
  }
}

/** Whether the directory of a run is below the results directory, without any link in between. */
export async function isWithin(directory: string, { experimentName, id }: RunEntry): Promise<boolean> {
  const [root, place] = await Promise.all([realpath(directory), realpath(join(directory, experimentName, id))])
  return place === join(root, experimentName, id)
}

/** Returns the sizes of the files of runs; empty for a store that does not report them. */
export async function sizesOf({ files }: ResultStore, runs: readonly RunEntry[]): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  if (files === undefined) return sizes
  await eachOf(runs, async ({ id }) => {
    sizes.set(id, sum((await files(id)).map(({ bytes }) => bytes)))
  })
  return sizes
}

function sized(runs: readonly RunEntry[], sizes: ReadonlyMap<string, number>): readonly SizedRun[] {
  return runs.map((run) => ({ run, bytes: sizes.get(run.id) ?? null }))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

/** A session with its experiment. */
export type SessionName = Pick<RunSession, 'experimentName' | 'session'>

/**
 * Removes sessions without runs, including those that an earlier removal left. A running session stays, because its
 * process may be about to start a run, unless one of the removed runs was an interrupted run of this session.
 *
 * @param removed the runs that were just removed
 */
export async function removeEmptySessions(
  store: ResultStore,
  experiments: ReadonlySet<string>,
  removed: readonly RunEntry[],
): Promise<readonly SessionName[]> {
  const { sessions } = store
  if (sessions.remove === undefined) return []
  const gone: SessionName[] = []
  for (const experimentName of experiments) {
    const interrupted = removed.filter((run) => run.experimentName === experimentName && run.status === 'interrupted')
    const ended = new Set(interrupted.map(({ session }) => session))
    const found = (await sessions.list(experimentName)).filter(
      ({ session, status, variants }) => variants.length > 0 && (status !== 'running' || ended.has(session)),
    )
    if (found.length === 0) continue
    const [ids, used] = await runsOf(store, experimentName)
    for (const { session, variants } of found) {
      if (used.has(session) || variants.some(({ runId }) => ids.has(runId))) continue
      if (await sessions.remove(experimentName, session)) gone.push({ experimentName, session })
    }
  }
  return gone
}

/** Returns the ids of the runs of an experiment, and their sessions. */
async function runsOf(store: ResultStore, experimentName: string) {
  const [ids, used] = [new Set<string>(), new Set<string>()]
  for await (const { id, session } of store.list({ experimentName, includeExcluded: true })) {
    ids.add(id)
    if (session !== null) used.add(session)
  }
  return [ids, used] as const
}
