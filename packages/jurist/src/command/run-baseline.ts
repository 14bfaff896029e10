import { JuristError } from '@jurist/core'
import { type Comparison, comparedTogether, resolveBaseline } from '@jurist/experiment/compare'
import type { RunResult } from '@jurist/experiment/result'
import { compared } from './compare.js'
import { type FailOn, gateOf } from './regression-gate.js'
import type { Results } from './results-store.js'

/** A run compared with its baseline, and what it missed. */
export interface AgainstBaseline {
  /** `null`: they could not be compared. */
  readonly comparison: Comparison | null
  /** A line each. */
  readonly misses: readonly string[]
  /** A problem that is not a miss. */
  readonly warning?: string
}

/**
 * Compares every run that names a baseline with it, except shards. A missing baseline, or one with different conditions, is a miss: a
 * gate that cannot be checked is not passed. The significance tests of several variants are corrected together, since
 * otherwise many variants would miss by chance.
 */
export async function againstBaselines(
  { store, shown }: Results,
  runs: readonly RunResult[],
  failOn: FailOn,
): Promise<ReadonlyMap<string, AgainstBaseline>> {
  const found = new Map<string, Found>()
  for (const run of runs) {
    if (run.baseline === null || run.shard !== undefined) continue
    const baseline = await resolveBaseline(store, run)
    if (baseline === undefined)
      found.set(run.id, { comparison: null, misses: [`the baseline ${run.baseline} is not in ${shown}`] })
    else found.set(run.id, against(baseline, run, failOn))
  }
  return judgedTogether(found, failOn)
}

/** A comparison before the gate is applied, or why it is missing. */
type Found = { readonly comparison: Comparison } | (AgainstBaseline & { readonly comparison: null })

function judgedTogether(found: ReadonlyMap<string, Found>, failOn: FailOn): ReadonlyMap<string, AgainstBaseline> {
  const comparable = [...found.values()].flatMap(({ comparison }) => comparison ?? [])
  const together = comparedTogether(comparable)
  return new Map(
    [...found].map(([id, one]): [string, AgainstBaseline] => {
      if (one.comparison === null) return [id, one]
      const comparison = together[comparable.indexOf(one.comparison)] ?? one.comparison
      return [id, { comparison, misses: gateOf(comparison, failOn) }]
    }),
  )
}

function against(baseline: RunResult, run: RunResult, failOn: FailOn): Found {
  try {
    return { comparison: compared(baseline, run, {}) }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    const { message } = thrown
    return failOn === 'never'
      ? { comparison: null, misses: [], warning: message }
      : { comparison: null, misses: [message] }
  }
}
