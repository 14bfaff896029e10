import { inRepetition, repetitionOf } from './answer-cache.js'
import { freeze } from './brand.js'
import type { JudgmentContext } from './context.js'
import type { ModelOptions } from './judge-model.js'

const options: unique symbol = Symbol('model options')

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
  return given === undefined ? sampled : freeze({ ...sampled, [options]: given })
}

/** What a sample says about how its models are asked. */
export function sampleOptions(context: JudgmentContext & { readonly [options]?: ModelOptions }): ModelOptions {
  return context[options] ?? {}
}
