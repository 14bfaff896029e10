import { type JudgmentContext, withJudging } from './context.js'
import type { JudgeModel, ModelOptions } from './judge-model.js'

/** The model that answers a judge instead: the same one behind a cache, for example. */
type Through = (model: JudgeModel, repetition: number) => JudgeModel

let current: Through | undefined

/**
 * From now on the judges of this process ask their models through this function; `undefined`: directly. Agents always ask
 * directly.
 */
export function judgesAskThrough(through: Through | undefined): void {
  current = through
}

/** A context of a repeated judgment: a cache must not answer it with what an earlier repetition was answered. */
export function inRepetition(context: JudgmentContext, repetition: number): JudgmentContext {
  return withJudging(context, { repetition })
}

/** Which repetition of a judgment a context is for: 1 unless it says otherwise. */
function repetitionOf({ judging, metadata }: JudgmentContext): number {
  const given = judging?.repetition ?? metadata['repetition']
  return typeof given === 'number' ? given : 1
}

/** The model that a judge asks. */
export function askedModel(model: JudgeModel, context: JudgmentContext): JudgeModel {
  return current === undefined ? model : current(model, repetitionOf(context))
}

/** One of several samples of the same judgment. */
export interface Sample {
  /** From 0. */
  readonly index: number
  readonly count: number
  /** For every model that the judge asks; they win over the options of the judge. */
  readonly options?: ModelOptions
}

/** The context of one sample: a cache must not answer it with what another sample was answered. */
export function sampleOf(context: JudgmentContext, { index, count, options: given }: Sample): JudgmentContext {
  const sampled = inRepetition(context, (repetitionOf(context) - 1) * count + index + 1)
  return given === undefined ? sampled : withJudging(sampled, { modelOptions: given })
}
