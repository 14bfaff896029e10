import { type JudgmentContext, withJudging } from './context.js'
import type { JudgeModel, ModelOptions } from './judge-model.js'

/** Replaces the model that a judge asks, for example by the same model behind a cache. */
type Through = (model: JudgeModel, repetition: number) => JudgeModel

let current: Through | undefined

/** Applies to all judges of this process; `undefined`: they ask their models directly. Agents always ask directly. */
export function judgesAskThrough(through: Through | undefined): void {
  current = through
}

/** Marks a repeated judgment, so that a cache does not reuse the answer of an earlier repetition. */
export function inRepetition(context: JudgmentContext, repetition: number): JudgmentContext {
  return withJudging(context, { repetition })
}

function repetitionOf({ judging, metadata }: JudgmentContext): number {
  const given = judging?.repetition ?? metadata['repetition']
  return typeof given === 'number' ? given : 1
}

export function askedModel(model: JudgeModel, context: JudgmentContext): JudgeModel {
  return current === undefined ? model : current(model, repetitionOf(context))
}

export interface Sample {
  /** From 0. */
  readonly index: number
  readonly count: number
  /** Options of every model that the judge asks. They override the options of the judge. */
  readonly options?: ModelOptions
}

/** Marks one sample of a judgment, so that a cache does not reuse the answer of another sample. */
export function sampleOf(context: JudgmentContext, { index, count, options: given }: Sample): JudgmentContext {
  const sampled = inRepetition(context, (repetitionOf(context) - 1) * count + index + 1)
  return given === undefined ? sampled : withJudging(sampled, { modelOptions: given })
}
