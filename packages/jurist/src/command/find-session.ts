import { isMeasurement } from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import type { Results } from './results-store.js'

/** The runs of a session of one experiment, oldest first: the newest one of each variant. */
export interface FoundSession {
  readonly session: string
  readonly experimentName: string
  readonly runs: readonly RunEntry[]
}

/**
 * The sessions with this name, one for each experiment that has one. A name that an experiment has too is that of the
 * experiment.
 */
export async function findSessions({ store }: Results, name: string): Promise<readonly FoundSession[]> {
  const byExperiment = new Map<string, Map<string, RunEntry>>()
  for await (const entry of store.list({ includeExcluded: true, order: 'oldest' })) {
    if (entry.experimentName === name) return []
    if (entry.session !== name || entry.excluded !== null || !isMeasurement(entry.kind)) continue
    const variants = byExperiment.get(entry.experimentName) ?? new Map<string, RunEntry>()
    byExperiment.set(entry.experimentName, variants.set(entry.variant ?? '', entry))
  }
  return [...byExperiment].map(([experimentName, variants]) => ({
    session: name,
    experimentName,
    runs: [...variants.values()],
  }))
}
