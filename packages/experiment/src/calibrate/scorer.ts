import type { Failure, JsonObject, Judgment } from '@jurist/core'
import { failureOf, type OptionRule, rangeOf } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { JudgeScorerResult } from '../result/records.js'

/** The input of a scorer: the candidate's judgment of an item, and its label. */
export interface JudgeScoringInput {
  readonly item: DatasetItem
  readonly actual: Judgment
  /** `null` when the item has no label. */
  readonly expectedLabel: string | null
}

/** Decides whether a judgment agrees with a label, or why this cannot be decided. */
export interface JudgeScorer {
  (input: JudgeScoringInput): JudgeScorerResult
  /** Facts for reports and conditions. Without them labels are names. */
  readonly info?: Partial<ScorerInfo>
}

export type UnscoredReason = Extract<JudgeScorerResult, { readonly scored: false }>['why']

/** A trial that was not scored. */
export function unscored(why: UnscoredReason, reasoning: string): JudgeScorerResult {
  return { scored: false, why, reasoning }
}

/** The result of a scorer, and the failure if it threw. */
export interface Scoring {
  readonly result: JudgeScorerResult
  readonly failure: Failure | null
}

/** Asks a scorer; one that throws, or does not return a result, leaves the judgment unscored. */
export function scoringBy(scorer: JudgeScorer, input: JudgeScoringInput): Scoring {
  try {
    const result: unknown = scorer(input)
    const problem = problemOf(result)
    return problem === null
      ? { result: result as JudgeScorerResult, failure: null }
      : failed(new TypeError(`The scorer ${problem}.`))
  } catch (thrown) {
    return failed(thrown)
  }
}

/** A trial that is unscored because something of the caller's threw. */
export function failed(thrown: unknown): Scoring {
  const failure = failureOf(thrown)
  return { result: unscored('scorer-error', failure.message), failure }
}

const reasons: ReadonlySet<unknown> = new Set<UnscoredReason>([
  'abstained',
  'candidate-error',
  'label-missing',
  'label-invalid',
  'no-measurement',
  'scorer-error',
])

function problemOf(result: unknown): string | null {
  if (typeof result !== 'object' || result === null) return 'must answer with an object'
  const { scored, match, score, expected, predicted, reasoning, why } = result as Readonly<Record<string, unknown>>
  if (typeof reasoning !== 'string') return 'must give "reasoning", a string'
  if (scored === false) return reasons.has(why) ? null : `must say "why" in one of the words ${[...reasons].join(', ')}`
  if (scored !== true) return 'must say whether it "scored"'
  if (typeof match !== 'boolean') return 'must give "match", true or false'
  if (!(typeof score === 'number' && score >= 0 && score <= 1)) return 'must give "score", a number from 0 to 1'
  return typeof expected === 'string' && typeof predicted === 'string'
    ? null
    : 'must give "expected" and "predicted", strings'
}

/** The numbers that labels of a scorer lie between. */
export interface LabelRange {
  readonly min: number
  readonly max: number
}

export const rangeRule: OptionRule = rangeOf(
  '{ min, max }, with min below max',
  'The lowest number.',
  'The highest number.',
)

/** Facts about a scorer. */
export interface ScorerInfo {
  /** The range of its labels when they are numbers; `null`: they are names. */
  readonly numeric: LabelRange | null
  /** Options that distinguish it from others of its name. */
  readonly options: JsonObject
  /** Why a string cannot be a label, or `null` when it can; absent when any string can. */
  readonly labelProblem?: (label: string) => string | null
}

export function scorerInfo(scorer: JudgeScorer): ScorerInfo & { readonly name: string } {
  return { numeric: null, options: {}, ...scorer.info, name: scorer.name || 'scorer' }
}
