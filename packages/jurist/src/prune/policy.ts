import type { RunEntry } from '@jurist/experiment/store'

/** Which runs may go. Where several parts are given, all of them must let a run go. */
export interface PrunePolicy {
  /** How many of the newest runs of each experiment, variant and kind stay. */
  readonly keep: number
  /** Only runs that started before this time (milliseconds since 1970). */
  readonly before?: number
  /** Only runs of these experiments. */
  readonly experiments?: readonly string[]
  /** Unfinished runs too. */
  readonly unfinished: boolean
}

/** Whether a run can be resumed, so that it is not a result yet. */
function isUnfinished({ status, counts }: RunEntry): boolean {
  return status !== 'completed' || counts.notRun > 0
}

/** The runs that a policy lets go, oldest first. Runs that are being written never go. */
export function leavingRuns(entries: readonly RunEntry[], policy: PrunePolicy): readonly RunEntry[] {
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

/** The ids of the newest `keep` runs of each group. An excluded or unfinished run takes the place of no other. */
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
