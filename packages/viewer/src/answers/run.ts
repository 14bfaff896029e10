import { briefTrials, type ExperimentResult, failedByError } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { revisionOf } from './revision.js'
import type { Shelf } from './shelf.js'

/** A run without its trials. */
export interface RunDocument {
  readonly revision: string
  readonly run: Omit<ExperimentResult, 'items'>
  readonly scoreKeys: readonly string[]
  /** Fails that say nothing about the agent, as judges broke. */
  readonly failedByError: number
  /** The runs of the same session, this one among them, oldest first; only this one without a session. */
  readonly variants: readonly RunEntry[]
  /** What the store says of this run: lines that are damaged, for example. */
  readonly warnings: readonly string[]
}

/** Everything about a run but its trials. */
export async function runDocument(result: ExperimentResult, shelf: Shelf): Promise<RunDocument> {
  const run = withoutItems(result)
  const variants = variantsOf(result, await shelf.entries())
  const warnings = shelf.warnings().filter((warning) => warning.includes(result.id))
  const brokenJudges = briefTrials(result).filter(failedByError).length
  return {
    revision: revisionOf(result),
    run,
    scoreKeys: Object.keys(run.scores),
    failedByError: brokenJudges,
    variants,
    warnings,
  }
}

/** Taking them out by name would read them. */
function withoutItems(result: ExperimentResult): RunDocument['run'] {
  const names = Object.keys(result) as (keyof ExperimentResult)[]
  return Object.fromEntries(names.flatMap((name) => (name === 'items' ? [] : [[name, result[name]]]))) as never
}

/** The runs of the session of a run, oldest first; the run alone when it belongs to none. */
export function variantsOf(
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
