import type { RunRecord } from '../result/records.js'
import type { PassAtK, Summary } from '../result/summary.js'
import type { RunResult } from '../result/trial-figures.js'

/** The figures of a run for tables and charts of several runs. */
export interface VariantFigures
  extends Pick<
      RunRecord,
      'id' | 'experimentName' | 'variant' | 'session' | 'kind' | 'status' | 'startedAt' | 'durationMs'
    >,
    Pick<Summary, 'counts' | 'passRate' | 'passRateInterval' | 'costUsd' | 'judgeCostUsd' | 'unpricedTrials'> {
  /** Items with both a pass and a fail. */
  readonly flakyItems: number
  /** pass@k and pass^k for the largest k; `null` where no item was repeated. */
  readonly repeated: PassAtK | null
  /** Of the agents, over the trials whose cost is known. */
  readonly costPerTrialUsd: number | null
  /** Of the judges, over all trials that ran. */
  readonly judgeCostPerTrialUsd: number | null
  readonly agentMedianMs: number | null
}

/** The figures of a run for tables and charts of several runs. */
export function variantFigures(run: RunResult): VariantFigures {
  const { id, experimentName, variant, session, kind, status, startedAt, durationMs } = run
  const { counts, passRate, passRateInterval, costUsd, judgeCostUsd, unpricedTrials } = run
  const largest = run.passAtK.at(-1)
  const share = (cost: number | null, trials: number) => (cost === null || trials === 0 ? null : cost / trials)
  return {
    ...{ id, experimentName, variant, session, kind, status, startedAt, durationMs },
    ...{ counts, passRate, passRateInterval, costUsd, judgeCostUsd, unpricedTrials },
    flakyItems: run.flakyItems.length,
    repeated: largest === undefined || largest.k < 2 ? null : largest,
    costPerTrialUsd: share(costUsd, counts.run - unpricedTrials),
    judgeCostPerTrialUsd: share(judgeCostUsd, counts.run),
    agentMedianMs: run.agentMs?.median ?? null,
  }
}
