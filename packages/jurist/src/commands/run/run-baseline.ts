import { JuristError } from '@jurist/core'
import { type Comparison, comparedTogether, resolveBaseline } from '@jurist/experiment/compare'
import { baselineVariant, points, sideName } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'
import { type FailOn, gateOf, weaknessOf } from '../../command-kit/regression-gate.js'
import type { Results } from '../../command-kit/results-store.js'
import { compared } from '../compare.js'

/** The comparison of a run with its baseline, and its misses. */
export interface AgainstBaseline {
  /** `null` if they could not be compared. */
  readonly comparison: Comparison | null
  /** One line each. */
  readonly misses: readonly string[]
  /** A problem that does not count as a miss. */
  readonly warning?: string
  /** Information that is not a problem. */
  readonly notice?: string
}

/**
 * Compares every run that names a baseline with it, except shards. A missing baseline, or one with different
 * conditions, counts as a miss: a gate that cannot be checked is not passed. The significance tests of several variants
 * are corrected together, since otherwise many variants would miss by chance.
 */
export async function againstBaselines(
  { store, shown }: Results,
  runs: readonly RunResult[],
  failOn: FailOn,
): Promise<ReadonlyMap<string, AgainstBaseline>> {
  const found = new Map<string, Found>()
  for (const run of runs) {
    const planned = run.sequential?.comparisons.find(({ candidate }) => candidate === sideName(run))
    const named = planned?.baseline ?? (run.sequential === undefined ? run.baseline : null)
    const variant = baselineVariant(named)
    if (named === null || run.shard !== undefined || (variant !== undefined && variant === run.variant)) continue
    const baseline = await resolveBaseline(store, run, named)
    found.set(run.id, baseline === undefined ? withoutBaseline(run, shown) : against(baseline, run, failOn))
  }
  return judgedTogether(found, failOn)
}

/** A comparison before the gate is applied, or the reason why it is missing. */
type Found =
  | { readonly comparison: Comparison; readonly baseline: RunResult }
  | (AgainstBaseline & { readonly comparison: null })

/** The first run of a variant has no baseline yet, but a named baseline must exist. */
function withoutBaseline(run: RunResult, shown: string): Found {
  const { baseline, variant, experimentName } = run
  const who = variant ?? experimentName
  const named = baselineVariant(baseline)
  if (baseline === 'latest') {
    const notice = `${who} is the first${variant === null ? '' : ' of this variant'} in ${shown}: there is no earlier run to compare with`
    return { comparison: null, misses: [], notice }
  }
  const miss =
    named === undefined
      ? `the baseline ${baseline} is not in ${shown}`
      : `${who} cannot be compared: its session has no run of the variant ${named}`
  return { comparison: null, misses: [miss] }
}

function judgedTogether(found: ReadonlyMap<string, Found>, failOn: FailOn): ReadonlyMap<string, AgainstBaseline> {
  const comparable = [...found.values()].flatMap(({ comparison }) => comparison ?? [])
  const together = comparedTogether(comparable)
  return new Map(
    [...found].map(([id, one]): [string, AgainstBaseline] => {
      if (one.comparison === null) return [id, one]
      const comparison = together[comparable.indexOf(one.comparison)] ?? one.comparison
      const misses = [...gateOf(comparison, failOn), ...marginMissed(comparison)]
      const isPlanned = comparison.sequential !== undefined
      const weak = misses.length > 0 || isPlanned ? undefined : weaknessOf(comparison, one.baseline, failOn)
      const who = comparison.candidate.variant ?? comparison.candidate.experimentName
      return [id, { comparison, misses, ...(weak === undefined ? {} : { warning: `${who}: ${weak} or --threshold` }) }]
    }),
  )
}

/** A margin that was asked for and not shown. */
function marginMissed({ sequential, conclusion, candidate }: Comparison): readonly string[] {
  if (sequential === undefined || sequential.margin === null || sequential.isNotWorse || conclusion === 'improved')
    return []
  const most = points(sequential.margin).replace('+', '')
  return [
    `${candidate.variant ?? candidate.experimentName}: not shown that it is not worse by more than ${most} points (--margin)`,
  ]
}

function against(baseline: RunResult, run: RunResult, failOn: FailOn): Found {
  try {
    return { comparison: compared(baseline, run, {}), baseline }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    const { message } = thrown
    return failOn === 'never'
      ? { comparison: null, misses: [], warning: message }
      : { comparison: null, misses: [message] }
  }
}
