import { JuristError } from '../../errors.js'
import { checkOptions, option, optionInvalid } from '../../options.js'
import type { JudgeModel, JudgeModelResponse } from '../model.js'
import { allTokens } from './priced.js'
import type { ModelMiddleware } from './wrap-model.js'

const rules = { usd: option.nonNegative, tokens: option.nonNegative }

/**
 * Stops asking when a limit is reached: a call that would begin at or above it throws `budget-exceeded`, and the model
 * is not asked. All models wrapped in the returned middleware share the limit. Calls that are already running may
 * exceed it. Responses without usage are rejected, since a limit that cannot be measured cannot be enforced: under
 * `usd` put `priced` inside; a free model declares a cost of 0.
 *
 * @param limit either `usd` or `tokens` (the total as reported, or else input and output)
 * @throws `option-invalid`
 *
 * @example
 * import { budget, cached, priced, wrapModel } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const table = { 'gpt-5-mini': { inputPerMillion: 0.25, outputPerMillion: 2 } }
 * wrapModel(scriptedModel('Answer: YES'), cached(), budget({ usd: 1 }), priced(table))
 */
export function budget(limit: { readonly usd: number } | { readonly tokens: number }): ModelMiddleware {
  const { usd, tokens } = checkOptions<{ readonly usd?: number; readonly tokens?: number }>('budget', limit, rules)
  const most = usd ?? tokens
  if (most === undefined || (usd !== undefined && tokens !== undefined))
    optionInvalid('usd', 'budget: give either "usd" or "tokens".')
  const spentOn = usd === undefined ? tokensOf : dollarsOf
  let spent = 0
  return function budget(model) {
    return (async (request) => {
      if (spent >= most) throw exceeded(spent, most, usd === undefined ? 'tokens' : 'USD')
      const response = await model(request)
      spent += spentOn(response)
      return response
    }) satisfies JudgeModel
  }
}

function exceeded(spent: number, limit: number, unit: string): JuristError<'budget-exceeded'> {
  return new JuristError(
    'budget-exceeded',
    `The budget of ${limit} ${unit} is spent (${spent}): the model is no longer called. Raise it, or ask for less.`,
    { spent, limit },
  )
}

function dollarsOf({ costUsd, model }: JudgeModelResponse): number {
  return costUsd ?? uncounted('usd', `${model ?? 'The model'} did not report a cost. Put priced(table) inside budget`)
}

function tokensOf({ usage, costUsd, metadata }: JudgeModelResponse): number {
  // An answer from a cache used no tokens.
  if (metadata?.['cached'] === true && costUsd === 0) return 0
  return allTokens(usage) ?? uncounted('tokens', 'The model did not report its tokens. Limit "usd"')
}

function uncounted(name: string, problem: string): never {
  optionInvalid(name, `budget: ${problem}; a limit that cannot be measured cannot be enforced.`)
}
