import type { JsonObject } from '@jurist/core'
import type { JudgeScorer } from './scorer.js'

/** The numbers that labels of a scorer lie between. */
export interface LabelRange {
  readonly min: number
  readonly max: number
}

/** What a report has to know of a scorer. */
export interface ScorerKind {
  readonly name: string
  /** The range of its labels when they are numbers; `null`: they are names. */
  readonly numeric: LabelRange | null
  /** What else tells it from others of its name. */
  readonly options: JsonObject
  /** Why a text cannot be a label, or `null` where it can; absent where any text can. */
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
