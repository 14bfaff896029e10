import { JuristError } from '@jurist/core'
import { type Comparison, resolveBaseline } from '@jurist/experiment/compare'
import type { ExperimentResult } from '@jurist/experiment/result'
import { compared } from './compare.js'
import { type FailOn, gateOf } from './regression-gate.js'
import type { Results } from './results-store.js'

/** A run beside its baseline, and why that is not good enough. */
export interface AgainstBaseline {
  /** `null`: they could not be compared. */
  readonly comparison: Comparison | null
  /** A line each. */
  readonly misses: readonly string[]
  /** What is no miss, but has to be said. */
  readonly warning?: string
}

/**
 * Compares every run that names a baseline with it. A baseline that is gone, or was measured otherwise, is a miss: a gate
 * that cannot be checked is not passed.
 */
export async function againstBaselines(
  { store, shown }: Results,
  runs: readonly ExperimentResult[],
  failOn: FailOn,
): Promise<ReadonlyMap<string, AgainstBaseline>> {
  const found = new Map<string, AgainstBaseline>()
  for (const run of runs) {
    if (run.baseline === null) continue
    const baseline = await resolveBaseline(store, run)
    if (baseline === undefined)
      found.set(run.id, { comparison: null, misses: [`the baseline ${run.baseline} is not in ${shown}`] })
    else found.set(run.id, against(baseline, run, failOn))
  }
  return found
}

function against(baseline: ExperimentResult, run: ExperimentResult, failOn: FailOn): AgainstBaseline {
  try {
    const comparison = compared(baseline, run, {})
    return { comparison, misses: gateOf(comparison, failOn) }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    const { message } = thrown
    return failOn === 'never'
      ? { comparison: null, misses: [], warning: message }
      : { comparison: null, misses: [message] }
  }
}
