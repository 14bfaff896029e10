import { giveInfo } from '../../judge.js'
import { optionInvalid } from '../../options.js'
import type { JudgeModel } from '../model.js'

/**
 * Wraps a model in another one, which may answer itself, ask again, wait or count. It must pass the request's signal
 * on.
 */
export type ModelMiddleware = (model: JudgeModel) => JudgeModel

/**
 * Wraps a model in middleware: `wrapModel(model, a, b)` is `a(b(model))`, so the first is outermost.
 *
 * @throws `option-invalid` for a model or a middleware that is not a function
 *
 * @example
 * import { budget, cached, priced, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const table = { 'gpt-5-mini': { inputPerMillion: 0.25, outputPerMillion: 2 } }
 * // A hit of the cache costs nothing, and the budget counts what is priced.
 * wrapModel(scriptedModel('Answer: YES'), cached(), budget({ usd: 1 }), priced(table))
 */
export function wrapModel(model: JudgeModel, ...middleware: readonly ModelMiddleware[]): JudgeModel {
  const wrong = [model, ...middleware].findIndex((part) => typeof part !== 'function')
  if (wrong !== -1)
    optionInvalid(
      wrong === 0 ? 'model' : 'middleware',
      `wrapModel: ${wrong === 0 ? 'the model' : `middleware ${wrong}`} must be a function. Call its factory, as in cached().`,
    )
  const wrapped = middleware.reduceRight((inner, wrap) => wrap(inner), model)
  return wrapped === model
    ? model
    : giveInfo(wrapped, { ...model.info, ...wrapped.info, options: { ...model.info?.options } })
}
