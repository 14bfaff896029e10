import { isMeasurement } from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import { sortedRows } from '../router.js'

/**
 * Returns the runs that match the query: `q` searches, `kind` filters, `sort` names a column, `order=desc` reverses the
 * order.
 */
export function selectedRuns(runs: readonly RunEntry[], query: URLSearchParams): readonly RunEntry[] {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/)
  const kind = query.get('kind')
  const found = runs.filter((run) => {
    const text = [run.id, run.experimentName, run.variant, run.session, run.status].join(' ').toLowerCase()
    return (kind === null || run.kind === kind) && words.every((word) => text.includes(word))
  })
  return sortedRows(found, query, sortValues)
}

const sortValues: Readonly<Record<string, (run: RunEntry) => string | number | null>> = {
  variant: ({ variant }) => variant,
  started: ({ startedAt }) => startedAt,
  status: ({ status }) => status,
  rate: ({ passRate }) => passRate,
  cost: costOf,
  time: ({ durationMs }) => durationMs,
}

/** The cost of the agents and the judges. */
export function costOf({ costUsd, judgeCostUsd }: RunEntry): number | null {
  return costUsd === null && judgeCostUsd === null ? null : (costUsd ?? 0) + (judgeCostUsd ?? 0)
}

export interface RunGroup {
  readonly experimentName: string
  /** The matching runs, in the order of the list. */
  readonly runs: readonly RunEntry[]
  /** All runs of the experiment in the store, newest first. */
  readonly all: readonly RunEntry[]
  /** The runs of the trend of the newest run, oldest first. */
  readonly trend: readonly RunEntry[]
}

/** Groups runs by experiment, in the order of their first runs. */
export function groupedRuns(found: readonly RunEntry[], all: readonly RunEntry[]): readonly RunGroup[] {
  const names = [...new Set(found.map(({ experimentName }) => experimentName))]
  return names.map((experimentName) => {
    const own = all.filter((run) => run.experimentName === experimentName)
    const newest = own.find(isTrend)
    const trend = own.filter((run) => isTrend(run) && newest !== undefined && isSameSeries(run, newest)).toReversed()
    return { experimentName, all: own, runs: found.filter((run) => run.experimentName === experimentName), trend }
  })
}

function isTrend({ kind, status, excluded, passRate }: RunEntry): boolean {
  return isMeasurement(kind) && status !== 'running' && excluded === null && passRate !== null
}

function isSameSeries(one: RunEntry, other: RunEntry): boolean {
  return one.variant === other.variant && one.kind === other.kind
}

/** Returns the newest completed run of the same variant and kind that started before a run. */
export function runBefore(run: RunEntry, all: readonly RunEntry[]): RunEntry | undefined {
  if (!isMeasurement(run.kind)) return undefined
  return all.find(
    (other) =>
      other.id !== run.id &&
      other.experimentName === run.experimentName &&
      isSameSeries(other, run) &&
      isTrend(other) &&
      other.startedAt < run.startedAt,
  )
}

/** Consecutive runs of one session are together, every other run is alone. */
export function bySession(runs: readonly RunEntry[]): readonly (readonly [RunEntry, ...RunEntry[]])[] {
  const together: [RunEntry, ...RunEntry[]][] = []
  for (const run of runs) {
    const last = together.at(-1)
    if (last !== undefined && run.session !== null && last[0].session === run.session) last.push(run)
    else together.push([run])
  }
  return together
}

/** How many sessions and runs of a group are shown at first. */
export const fewRuns = 6
