import { isPlainObject } from '../../json.js'
import { fieldProblems, type OptionRule, option, optionInvalid, printed, withMissing } from '../../options.js'
import type { Usage } from '../../usage.js'
import type { JudgeModel, JudgeModelResponse, ModelOptions } from '../model.js'
import type { ModelMiddleware } from './wrap-model.js'

/**
 * The price of a million tokens, in US dollars. Tokens read from a cache have the same price as others unless a price
 * for them is given.
 */
export interface Price {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  readonly cacheReadPerMillion?: number
}
/** Prices by the name of the model. */
export type PriceTable = { readonly [model: string]: Price }

/**
 * Returns a middleware that adds the cost to responses that report tokens but no cost, by the model that they name, or
 * else the requested one. A response of an unknown model, or with incomplete token counts, stays unchanged.
 *
 * @param table prices by the name of the model
 * @throws `option-invalid` naming every invalid price
 *
 * @example
 * import { priced, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const prices = priced({ 'gpt-5-mini': { inputPerMillion: 0.25, outputPerMillion: 2, cacheReadPerMillion: 0.025 } })
 * wrapModel(scriptedModel('Answer: YES'), prices)
 */
export function priced(table: PriceTable): ModelMiddleware {
  const prices = checkPrices(table)
  return function priced(model) {
    return (async (request) => {
      const response = await model(request)
      const price = priceOf(response, request.options, prices)
      const costUsd = price && response.costUsd === undefined ? costOf(response.usage, price) : undefined
      return costUsd === undefined ? response : Object.freeze({ ...response, costUsd })
    }) satisfies JudgeModel
  }
}

function priceOf({ model }: JudgeModelResponse, options: ModelOptions, prices: PriceTable): Price | undefined {
  const known = [model, options.model].find((name) => name !== undefined && Object.hasOwn(prices, name))
  return known === undefined ? undefined : prices[known]
}

function costOf(usage: Usage | undefined, price: Price): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0 } = usage ?? {}
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const { inputPerMillion, outputPerMillion, cacheReadPerMillion = inputPerMillion } = price
  const fresh = Math.max(0, inputTokens - cacheReadTokens)
  const millionths = fresh * inputPerMillion + cacheReadTokens * cacheReadPerMillion + outputTokens * outputPerMillion
  return millionths / 1_000_000
}

const rules: { readonly [name in keyof Required<Price>]: OptionRule } = {
  inputPerMillion: option.nonNegative,
  outputPerMillion: option.nonNegative,
  cacheReadPerMillion: option.nonNegative,
}

function checkPrices(table: PriceTable): PriceTable {
  const problems = isPlainObject(table)
    ? Object.entries(table).flatMap(([model, price]) => priceProblems(model, price))
    : ['the table must be an object of prices by model']
  if (problems.length > 0) optionInvalid('table', `priced: ${problems.join('; ')}.`)
  return Object.freeze({ ...table })
}

function priceProblems(model: string, price: unknown): readonly string[] {
  if (!isPlainObject(price)) return [`${printed(model)} must have { inputPerMillion, outputPerMillion }`]
  const problems = fieldProblems(withMissing(price, ['inputPerMillion', 'outputPerMillion']), rules)
  return problems.map(([, problem]) => `the price of ${printed(model)}: ${problem}`)
}

/** The total as reported, or else input and output; `undefined` when neither was reported. */
export function allTokens(usage: Usage | undefined): number | undefined {
  const { totalTokens, inputTokens, outputTokens } = usage ?? {}
  if (totalTokens !== undefined) return totalTokens
  return inputTokens === undefined && outputTokens === undefined ? undefined : (inputTokens ?? 0) + (outputTokens ?? 0)
}
