import {
  type BriefTrial,
  briefTrials,
  type ExperimentResult,
  type ItemResult,
  outcomeOf,
  type TrialOutcome,
} from '@jurist/experiment/result'
import { findTrial, type TrialName } from './find-trial.js'

/** One trial, whole, and its neighbours. */
export interface ItemDocument {
  /** The experiment and the variant of its run. */
  readonly experimentName: string
  readonly variant: string | null
  readonly item: ItemResult
  readonly outcome: TrialOutcome
  readonly index: number
  readonly total: number
  readonly previous: TrialName | null
  readonly next: TrialName | null
  /** Other repetitions of the same item, this one among them. */
  readonly repetitions: readonly { readonly repetition: number; readonly outcome: TrialOutcome }[]
}

/** A trial of a run; `undefined` when there is none. */
export function itemDocument(run: ExperimentResult, name: TrialName): ItemDocument | undefined {
  const found = findTrial(run, name)
  if (found === undefined) return undefined
  const { index, item } = found
  const trials = briefTrials(run)
  return {
    experimentName: run.experimentName,
    variant: run.variant,
    item,
    outcome: outcomeOf(item),
    index,
    total: trials.length,
    previous: nameOf(trials[index - 1]),
    next: nameOf(trials[index + 1]),
    repetitions: trials
      .filter((other) => other.itemId === item.itemId)
      .map((other) => ({ repetition: other.repetition, outcome: outcomeOf(other) })),
  }
}

function nameOf(trial: BriefTrial | undefined): TrialName | null {
  return trial === undefined ? null : { itemId: trial.itemId, repetition: trial.repetition }
}
