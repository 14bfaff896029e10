import type { ExperimentResult } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { Shelf } from './shelf.js'

/** Results in memory as a shelf. */
export function shelfOf(results: readonly ExperimentResult[]): Shelf {
  const newestFirst = results.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  const run = async (id: string) => results.find((result) => result.id === id)
  return {
    entries: async () => newestFirst.map(entryOf),
    warnings: () => [],
    run,
    derived: async (id, _, of) => {
      const found = await run(id)
      return found === undefined ? undefined : of(found)
    },
  }
}

function entryOf(result: ExperimentResult): RunEntry {
  const { id, experimentName, kind, status, variant, session, startedAt, endedAt, counts, passRate, costUsd } = result
  return {
    id,
    experimentName,
    kind,
    status,
    variant,
    session,
    startedAt,
    endedAt,
    counts,
    passRate,
    costUsd,
    excluded: null,
  }
}
