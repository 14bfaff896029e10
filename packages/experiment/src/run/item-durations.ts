import type { RunOverview } from '../result/trial-figures.js'

/** The mean milliseconds of the trials of each item, by the sorted ids of the items; cancelled trials do not count. */
export function itemDurations(runs: readonly RunOverview[]): Readonly<Record<string, number>> {
  const sums = new Map<string, { ms: number; trials: number }>()
  for (const { agent, itemId, durationMs } of runs.flatMap(({ trials }) => trials)) {
    if (agent === 'cancelled') continue
    const sum = sums.get(itemId) ?? { ms: 0, trials: 0 }
    sums.set(itemId, { ms: sum.ms + durationMs, trials: sum.trials + 1 })
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([id, { ms, trials }]) => [id, Math.max(1, Math.round(ms / trials))]))
}
