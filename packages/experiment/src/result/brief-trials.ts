import type { ExperimentResult, ItemResult } from './records.js'
import type { BriefTrial, TrialBrief } from './trial-brief.js'

/** What is known of the trials of a long run beside its items, which are read when they are asked for. */
export interface BriefSource {
  /** In the order of the items; the same list each time. `undefined`: it is not there any more. */
  trials(): readonly TrialBrief[] | undefined
  /**
   * Reads some of them as a whole.
   *
   * @throws `store-failed` when the run is not there any more, or has changed
   */
  read(trials: readonly TrialBrief[]): readonly ItemResult[]
}

const sources = new WeakMap<object, BriefSource>()

/** Takes note of what is known of the trials of a result. */
export function withBriefs(result: ExperimentResult, source: BriefSource): ExperimentResult {
  sources.set(result, source)
  return result
}

/**
 * The trials of a result, in order: its items or, where a store knows enough of a long run without reading it, that. For who
 * only counts, compares or prints tables.
 *
 * @example
 * const passed = briefTrials(result).filter((trial) => trial.passed).length
 */
export function briefTrials(result: Pick<ExperimentResult, 'items'>): readonly BriefTrial[] {
  return sources.get(result)?.trials() ?? result.items
}

function isWhole(trial: BriefTrial): trial is ItemResult {
  return 'verdict' in trial
}

/**
 * Some trials of a result as a whole.
 *
 * @param trials of `briefTrials(result)`
 * @throws `store-failed` when they have to be read, and are not there any more
 *
 * @example
 * const failed = wholeTrials(result, briefTrials(result).filter(({ passed }) => passed === false).slice(0, 20))
 */
export function wholeTrials(
  result: Pick<ExperimentResult, 'items'>,
  trials: readonly BriefTrial[],
): readonly ItemResult[] {
  const source = sources.get(result)
  if (source === undefined || trials.every(isWhole)) return trials as readonly ItemResult[]
  return source.read(trials as readonly TrialBrief[])
}
