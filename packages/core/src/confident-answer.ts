import type { JudgmentContext } from './context.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { type OptionRule, option } from './options.js'
import type { Verdict } from './verdict.js'

/** What a judge says, and how sure of it a source of confidence is. */
export interface ConfidentAnswer {
  readonly judgment: Judgment
  /** From 0 to 1; 0 where nothing is known. */
  readonly confidence: number
  /** How many judgments the confidence rests on. */
  readonly samples: number
  /** Of a jury that voted once. */
  readonly verdict?: Verdict
}

/**
 * Runs a judge and says how sure its judgment is. Its function name, and `version` where it has one, are part of what a
 * certificate is bound to. Sources: `declared`, `agreement`, `votes`, `swap`, `annotators` of `@jurist/core/confidence`.
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

/** When a judge is sure enough to decide. */
export interface SelectiveOptions {
  /** From 0 to 1: the judge decides where its confidence is at least this. */
  readonly threshold: number
  /** Default: the share of the votes for a jury, `metadata.confidence` of the judgment for another judge. */
  readonly confidence?: Confidence
}

/** The rules of a judge or a tier that decides only where it is sure. */
export const selectiveRules: { readonly [name in keyof Required<SelectiveOptions>]: OptionRule } = {
  threshold: option.rate,
  confidence: option.function,
}
