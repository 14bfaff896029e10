import { effectiveScore, type JsonObject, type Judgment } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import type { ItemResult, JudgeExecutionDetail, JudgeScorerResult } from '../../result/records.js'
import type { UnitCounts } from '../../result/statistics/bootstrap.js'
import { categoryOrStatus } from '../scorers.js'
import type { LabelClasses, ReportSettings } from './report-settings.js'

/** A trial of a calibration, with the facts that it stores. */
export interface CalibratedTrial {
  readonly item: ItemResult
  readonly detail: JudgeExecutionDetail
  readonly facts: KeptFacts
  /** `null`: it was not scored. */
  readonly scored: ScoredTrial | null
}

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
  return groupBy(trials, ({ item }) => item.itemId)
}

/** The scored trials of each item, or each cluster: trials of one unit depend on each other. */
export function byUnit(trials: readonly CalibratedTrial[]): ReadonlyMap<string, readonly CalibratedTrial[]> {
  const scored = trials.filter((trial) => trial.scored !== null)
  return groupBy(scored, ({ facts, item }) => facts.cluster ?? item.itemId)
}

/** How many trials each unit has, and how many of them are so. Default: those that match the label. */
export function unitCounts(
  trials: readonly CalibratedTrial[],
  isMatch: (scored: ScoredTrial) => boolean = ({ match }) => match,
): readonly UnitCounts[] {
  return [...byUnit(trials).values()].map((unit) => ({
    trials: unit.length,
    matches: unit.filter(({ scored }) => scored !== null && isMatch(scored)).length,
  }))
}

/** Whether some scored trials depend on each other, as repetitions of one item and items of one cluster do. */
export function isDependent(trials: readonly CalibratedTrial[]): boolean {
  return [...byUnit(trials).values()].some(({ length }) => length > 1)
}

/** The key of the facts that a report needs in addition to the judgment, since scorers and functions are not stored. */
const key = 'calibration'

/** Facts that a trial of a calibration stores. */
export interface KeptFacts {
  readonly cluster: string | null
  readonly annotators: Readonly<Record<string, string | number>> | null
  /** Whether the scorer agrees with each member of a jury; `null`: not scored. */
  readonly members: Readonly<Record<string, boolean | null>> | null
  /** The score of the judgment of the swapped context. */
  readonly swapped: JudgeScorerResult | null
}

/** The metadata of a trial that keeps some facts. */
export function withFacts(metadata: JsonObject, { cluster, annotators, members, swapped }: KeptFacts): JsonObject {
  return { ...metadata, [key]: { cluster, annotators, members, swapped: swapped === null ? null : { ...swapped } } }
}

const none: KeptFacts = { cluster: null, annotators: null, members: null, swapped: null }

/** The facts that a trial keeps; none when the run was made by hand. */
export function factsOf({ metadata }: ItemResult): KeptFacts {
  const kept = Object.hasOwn(metadata, key) ? metadata[key] : undefined
  return isPlainObject(kept) ? { ...none, ...(kept as Partial<KeptFacts>) } : none
}

/**
 * The candidate's answer for an item, as its scorer reads it: a number from 0 to 1 or a word. No label is needed, so that
 * judgments can be compared with each other, or with annotators. `null`: it decided nothing.
 */
export function predictionOf(
  { scored, detail }: CalibratedTrial,
  settings: Pick<ReportSettings, 'numeric' | 'byCategory' | 'aliases'>,
): string | null {
  return scored === null ? unscoredPrediction(detail.judgment, settings) : scored.predicted
}

/** The prediction of a judgment that was not scored because its item has no label. */
export function unscoredPrediction(
  judgment: Judgment,
  { numeric, byCategory, aliases }: Pick<ReportSettings, 'numeric' | 'byCategory' | 'aliases'>,
): string | null {
  if (judgment.status !== 'pass' && judgment.status !== 'fail') return null
  if (numeric !== null) return effectiveScore(judgment)?.toString() ?? null
  if (!byCategory) return judgment.status
  const word = categoryOrStatus(judgment).trim().toLowerCase()
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word
}
