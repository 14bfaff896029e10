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
}

const kind = Symbol('kind')

/** Notes on a scorer what it is. */
export function withKind(scorer: JudgeScorer, noted: Pick<ScorerKind, 'numeric' | 'options'>): JudgeScorer {
  return Object.defineProperty(scorer, kind, { value: Object.freeze(noted) })
}

/** What is known of a scorer: one of your own has labels that are names. */
export function kindOf(scorer: JudgeScorer): ScorerKind {
  const noted = (scorer as { readonly [kind]?: Pick<ScorerKind, 'numeric' | 'options'> })[kind]
  return { name: scorer.name || 'scorer', numeric: noted?.numeric ?? null, options: noted?.options ?? {} }
}
