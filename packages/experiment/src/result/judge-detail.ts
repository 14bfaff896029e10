import type { Judgment } from '@jurist/core'

/** The result of scoring one judgment: whether it agrees with the label, or why it was not scored. */
export type JudgeScorerResult =
  | {
      readonly scored: true
      readonly match: boolean
      /** 0 to 1. */
      readonly score: number
      readonly expected: string
      readonly predicted: string
      readonly reasoning: string
    }
  | {
      readonly scored: false
      readonly why:
        | 'abstained'
        | 'candidate-error'
        | 'label-missing'
        | 'label-invalid'
        | 'no-measurement'
        | 'scorer-error'
      readonly reasoning: string
    }

/** A trial of a calibration: the judge is the thing under test. */
export interface JudgeExecutionDetail {
  readonly kind: 'judge'
  readonly judgment: Judgment
  readonly expectedLabel: string | null
  readonly scorer: JudgeScorerResult
  /** The judgment of the swapped context, mapped back; `null`: no swap was asked for. */
  readonly swapped: Judgment | null
}
