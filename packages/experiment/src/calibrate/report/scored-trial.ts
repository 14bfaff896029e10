import type { JudgeExecutionDetail, JudgeScorerResult } from '../../result/judge-detail.js'
import type { ItemResult } from '../../result/records.js'
import { factsOf, type KeptFacts } from '../kept-facts.js'
import type { LabelClasses } from './label-classes.js'

/** A trial of a calibration, with what it keeps. */
export interface CalibratedTrial {
  readonly item: ItemResult
  readonly detail: JudgeExecutionDetail
  readonly facts: KeptFacts
  /** `null`: it was not scored. */
  readonly scored: ScoredTrial | null
}

/** What a scored trial came to. */
export interface ScoredTrial extends Pick<Scored, 'match' | 'expected' | 'predicted'> {
  readonly expectedClass: string
  readonly predictedClass: string
}

type Scored = Extract<JudgeScorerResult, { readonly scored: true }>

/** The trials of a run of kind `judge`. */
export function calibratedTrials(items: readonly ItemResult[], classes: LabelClasses): readonly CalibratedTrial[] {
  return items.flatMap((item) => {
    const { detail } = item
    if (detail?.kind !== 'judge') return []
    return { item, detail, facts: factsOf(item), scored: scoredTrial(detail.scorer, classes) }
  })
}

function scoredTrial(result: JudgeScorerResult, classes: LabelClasses): ScoredTrial | null {
  if (!result.scored) return null
  const { match, expected, predicted } = result
  return { match, expected, predicted, expectedClass: classes.of(expected), predictedClass: classes.of(predicted) }
}

/** Trials by item, in the order of appearance. */
export function byItem(trials: readonly CalibratedTrial[]): ReadonlyMap<string, readonly CalibratedTrial[]> {
  const groups = new Map<string, CalibratedTrial[]>()
  for (const trial of trials) {
    const group = groups.get(trial.item.itemId)
    if (group === undefined) groups.set(trial.item.itemId, [trial])
    else group.push(trial)
  }
  return groups
}

/** The scored trials of each item, or each cluster: what is of one unit depends on each other. */
export function byUnit(trials: readonly CalibratedTrial[]): ReadonlyMap<string, readonly CalibratedTrial[]> {
  const units = new Map<string, CalibratedTrial[]>()
  for (const trial of trials) {
    if (trial.scored === null) continue
    const name = trial.facts.cluster ?? trial.item.itemId
    const unit = units.get(name)
    if (unit === undefined) units.set(name, [trial])
    else unit.push(trial)
  }
  return units
}

/** Whether some scored trials depend on each other, as repetitions of one item and items of one cluster do. */
export function isDependent(trials: readonly CalibratedTrial[]): boolean {
  return [...byUnit(trials).values()].some(({ length }) => length > 1)
}
