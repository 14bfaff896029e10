import {
  briefTrials,
  type ExperimentResult,
  failedByError,
  type Interval,
  type ItemResult,
} from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { RunReader } from './run-reader.js'

/** A run without its trials. */
export interface RunDocument {
  readonly revision: string
  readonly run: Omit<ExperimentResult, 'items'>
  readonly scoreKeys: readonly string[]
  /** Fails caused by a judge's error, which say nothing about the agent. */
  readonly failedByError: number
  /** The runs of the same session, oldest first, this one included; only this one outside a session. */
  readonly variants: readonly RunEntry[]
  /** The warnings of the store about this run, such as damaged lines. */
  readonly warnings: readonly string[]
}

/** Everything about a run except its trials. */
export async function runDocument(result: ExperimentResult, reader: RunReader): Promise<RunDocument> {
  const run = withoutItems(result)
  const variants = variantsOf(result, await reader.entries())
  const warnings = reader.warnings().filter((warning) => warning.includes(result.id))
  return {
    revision: revisionOf(result),
    run,
    scoreKeys: Object.keys(run.scores),
    failedByError: briefTrials(result).filter(failedByError).length,
    variants,
    warnings,
  }
}

/** Destructuring `items` would read all trials. */
function withoutItems(result: ExperimentResult): RunDocument['run'] {
  const names = Object.keys(result) as (keyof ExperimentResult)[]
  return Object.fromEntries(names.flatMap((name) => (name === 'items' ? [] : [[name, result[name]]]))) as never
}

function variantsOf(
  run: Pick<ExperimentResult, 'id' | 'session' | 'experimentName'>,
  entries: readonly RunEntry[],
): readonly RunEntry[] {
  return entries
    .filter(
      ({ id, session, experimentName }) =>
        id === run.id || (session !== null && session === run.session && experimentName === run.experimentName),
    )
    .toReversed()
}

/** Changes when the run changes: its status, its number of trials, or the time when it or its last trial ended. */
export function revisionOf(run: Pick<ExperimentResult, 'status' | 'items' | 'endedAt'>): string {
  return `${run.status}-${briefTrials(run).length}-${run.endedAt ?? lastEnd(run.items)}`
}

function lastEnd(items: readonly ItemResult[]): string {
  let last = ''
  for (const { endedAt } of items) if (endedAt > last) last = endedAt
  return last
}

/** A variant of a session, with figures that its entry in the store does not have. */
export interface VariantRow extends Pick<RunEntry, 'id' | 'variant' | 'counts' | 'passRate'> {
  readonly passRateInterval: Interval | null
  readonly costPerTrialUsd: number | null
  readonly agentMedianMs: number | null
}

/** The variants of a session. */
export interface VariantsDocument {
  readonly variants: readonly VariantRow[]
}

/** The variants of the session that a run belongs to. */
export async function variantsDocument(run: ExperimentResult, reader: RunReader): Promise<VariantsDocument> {
  const variants: VariantRow[] = []
  for (const { id } of variantsOf(run, await reader.entries())) {
    const row = await reader.derived(id, 'variant', rowOf)
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
