import { totalCost } from '@jurist/core/internal'
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
  /** The mean cost of the agents, over the trials whose cost is known, and of the judges. */
  readonly costPerTrialUsd: number | null
  /** The mean cost of the judges, over all trials that ran. */
  readonly judgeCostPerTrialUsd: number | null
  readonly agentMedianMs: number | null
}

/** The figures of a run for tables and charts of several runs. */
export function variantFigures(run: RunResult): VariantFigures {
  const { id, experimentName, variant, session, kind, status, startedAt, durationMs } = run
  const { counts, passRate, passRateInterval, costUsd, judgeCostUsd, unpricedTrials } = run
  const largest = run.passAtK.at(-1)
  const share = (cost: number | null, trials: number) => (cost === null || trials === 0 ? null : cost / trials)
  const judgeCostPerTrialUsd = share(judgeCostUsd, counts.run)
  return {
    ...{ id, experimentName, variant, session, kind, status, startedAt, durationMs },
    ...{ counts, passRate, passRateInterval, costUsd, judgeCostUsd, unpricedTrials },
    flakyItems: run.flakyItems.length,
    repeated: largest === undefined || largest.k < 2 ? null : largest,
    costPerTrialUsd: totalCost([share(costUsd, counts.run - unpricedTrials), judgeCostPerTrialUsd]) ?? null,
    judgeCostPerTrialUsd,
    agentMedianMs: run.agentMs?.median ?? null,
  }
}

/** Cost and pass rate of a choice; `null`: unknown. */
interface Choice {
  readonly costUsd: number | null
  readonly passRate: number | null
}

/**
 * The choices that no other one beats: none costs less and passes as much, or passes more and costs as much. By their
 * measured values, whose intervals may overlap. Choices for which one of the two is unknown are left out.
 *
 * @returns the indexes of the choices, the cheapest first
 */
export function paretoFront(choices: readonly Choice[]): readonly number[] {
  const known = choices.flatMap(({ costUsd, passRate }, index) =>
    costUsd === null || passRate === null ? [] : [{ index, costUsd, passRate }],
  )
  known.sort((one, other) => one.costUsd - other.costUsd || other.passRate - one.passRate || one.index - other.index)
  const front: typeof known = []
  for (const choice of known) {
    const last = front.at(-1)
    const isEqual = last?.costUsd === choice.costUsd && last.passRate === choice.passRate
    if (last === undefined || choice.passRate > last.passRate || isEqual) front.push(choice)
  }
  return front.map(({ index }) => index)
}
