import { briefTrials, type ExperimentResult, type ItemResult, wholeTrials } from '@jurist/experiment/result'

/** What names a trial in a run. */
export interface TrialName {
  readonly itemId: string
  readonly repetition: number
}

/** A trial and its place in the run; `undefined` when there is none. */
export function findTrial(
  run: ExperimentResult,
  { itemId, repetition }: TrialName,
): { readonly index: number; readonly item: ItemResult } | undefined {
  const trials = briefTrials(run)
  const index = trials.findIndex((trial) => trial.itemId === itemId && trial.repetition === repetition)
  const found = trials[index]
  const [item] = found === undefined ? [] : wholeTrials(run, [found])
  return item && { index, item }
}
