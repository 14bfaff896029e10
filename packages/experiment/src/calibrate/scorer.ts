import type { Failure, JsonObject, Judgment } from '@jurist/core'
import { failureOf, type OptionRule, rangeOf } from '@jurist/core/internal'
import type { DatasetItem } from '../dataset/item.js'
import type { JudgeScorerResult } from '../result/judge-detail.js'

/** What a scorer is given: what the candidate said of an item, and what it should have said. */
export interface JudgeScoringInput {
  readonly item: DatasetItem
  readonly actual: Judgment
  /** `null` when the item has no label. */
  readonly expectedLabel: string | null
}

/** Says whether a judgment agrees with a label, or why that cannot be said. */
export type JudgeScorer = (input: JudgeScoringInput) => JudgeScorerResult

/** Why a trial was not scored. */
export type UnscoredReason = Extract<JudgeScorerResult, { readonly scored: false }>['why']

/** A trial that was not scored. */
export function unscored(why: UnscoredReason, reasoning: string): JudgeScorerResult {
  return { scored: false, why, reasoning }
}

/** What a scorer made of a judgment, and what it threw. */
export interface Scoring {
  readonly result: JudgeScorerResult
  readonly failure: Failure | null
}

/** Asks a scorer; one that throws, or answers with something else than a result, leaves the judgment unscored. */
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

/** A range as an option. */
export const rangeRule: OptionRule = rangeOf(
  '{ min, max }, with min below max',
  'The lowest number.',
  'The highest number.',
)

/** What a report has to know of a scorer. */
export interface ScorerKind {
  readonly name: string
  /** The range of its labels when they are numbers; `null`: they are names. */
  readonly numeric: LabelRange | null
  /** What else distinguishes it from others of its name. */
  readonly options: JsonObject
  /** Why a string cannot be a label, or `null` when it can; absent when any string can. */
  readonly labelProblem?: (label: string) => string | null
}

const kind = Symbol('kind')

/** Notes on a scorer what it is. */
export function withKind(scorer: JudgeScorer, noted: Omit<ScorerKind, 'name'>): JudgeScorer {
  return Object.defineProperty(scorer, kind, { value: Object.freeze(noted) })
}

/** What is known of a scorer: one of your own has labels that are names. */
export function kindOf(scorer: JudgeScorer): ScorerKind {
  const noted = (scorer as { readonly [kind]?: Omit<ScorerKind, 'name'> })[kind]
  return { numeric: null, options: {}, ...noted, name: scorer.name || 'scorer' }
}
