import type { ExperimentResult, Interval } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { variantsOf } from './run.js'
import type { Shelf } from './shelf.js'

/** A variant of a session, with what only its trials can tell. */
interface VariantRow extends Pick<RunEntry, 'id' | 'variant' | 'counts' | 'passRate'> {
  readonly passRateInterval: Interval | null
  readonly costPerTrialUsd: number | null
  readonly agentMedianMs: number | null
}

/** The variants of a session. */
export interface VariantsDocument {
  readonly variants: readonly VariantRow[]
}

/** The variants of the session that a run belongs to. */
export async function variantsDocument(run: ExperimentResult, shelf: Shelf): Promise<VariantsDocument> {
  const variants: VariantRow[] = []
  for (const { id } of variantsOf(run, await shelf.entries())) {
    const row = await shelf.derived(id, 'variant', rowOf)
    if (row !== undefined) variants.push(row)
  }
  return { variants }
}

function rowOf(run: ExperimentResult): VariantRow {
  const { id, variant, counts, passRate, passRateInterval, costUsd, unpricedTrials, agentMs } = run
  const priced = counts.run - unpricedTrials
  return {
    id,
    variant,
    counts,
    passRate,
    passRateInterval,
    costPerTrialUsd: costUsd === null || priced === 0 ? null : costUsd / priced,
    agentMedianMs: agentMs?.median ?? null,
  }
}
