import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultStore, RunEntry, RunSession } from '@jurist/experiment/store'
import { eachOf, type NeedsReader } from './prune-needs.js'

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
