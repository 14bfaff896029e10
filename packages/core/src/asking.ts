import { type JudgmentContext, withJudging } from './context.js'
import type { JudgeModel, ModelOptions } from './judge-model.js'

/** Marks a repeated judgment, so that a cache does not reuse the answer of an earlier repetition. */
export function inRepetition(context: JudgmentContext, repetition: number): JudgmentContext {
  return withJudging(context, { repetition })
}

function repetitionOf({ judging, metadata }: JudgmentContext): number {
  const given = judging?.repetition ?? metadata['repetition']
  return typeof given === 'number' ? given : 1
}

export function askedModel(model: JudgeModel, context: JudgmentContext): JudgeModel {
  return context.judging?.askThrough?.(model, repetitionOf(context)) ?? model
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
