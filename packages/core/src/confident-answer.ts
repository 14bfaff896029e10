import type { JudgmentContext } from './context.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { type OptionRule, option } from './options.js'
import type { Verdict } from './verdict.js'

/** The answer of a judge, with the confidence in it. */
export interface ConfidentAnswer {
  readonly judgment: Judgment
  /** From 0 to 1; 0 where it is not known. */
  readonly confidence: number
  /** The number of judgments that the confidence is based on. */
  readonly samples: number
  /** The verdict of a jury that voted once. */
  readonly verdict?: Verdict
}

/**
 * Runs a judge and estimates the confidence in its judgment. The name of the function and its `version`, if any, are
 * part of a certificate. `@jurist/core/confidence` has `declared`, `agreement`, `votes`, `swap` and `annotators`.
 *
 * @example
 * import { runJudge, type Confidence } from '@jurist/core'
 *
 * // Long reasons are written by judges that are in doubt.
 * export const briefIsSure: Confidence = async function briefIsSure(judge, context) {
 *   const judgment = await runJudge(judge, context)
 *   return { judgment, confidence: judgment.reasoning.length < 200 ? 0.9 : 0.5, samples: 1 }
 * }
 */
export interface Confidence {
  (judge: Judge, context: JudgmentContext): Promise<ConfidentAnswer>
  readonly version?: string
}

/** Options of a judge that decides only where its confidence is high enough. */
export interface SelectiveOptions {
  /** From 0 to 1. The judge decides where its confidence is at least this. */
  readonly threshold: number
  /**
   * The source of the confidence. Default: the share of the votes for a jury, `metadata.confidence` of the judgment for
   * another judge.
   */
  readonly confidence?: Confidence
}

export const selectiveRules: { readonly [name in keyof Required<SelectiveOptions>]: OptionRule } = {
  threshold: option.rate,
  confidence: option.function,
}
