import type { Usage } from '@jurist/core'
import { described, type OptionRule, objectOf, option, recordOf } from '@jurist/core/internal'
import type { Price } from '@jurist/core/llm'
import type { CostBasis } from './run-facts.js'

/**
 * Prices in US dollars per million tokens, by the name of the model that answered; `*` is any other model. The package
 * includes no prices.
 */
export interface Prices {
  readonly [model: string]: Price & { readonly cacheWritePerMillion?: number }
}

const { nonNegative } = option

export const pricesRule: OptionRule = recordOf(
  'an object with "inputPerMillion" and "outputPerMillion" of at least 0 for each model',
  objectOf(
    'a price',
    {
      inputPerMillion: described(nonNegative, 'US dollars for a million tokens of input.'),
      outputPerMillion: described(nonNegative, 'US dollars for a million tokens of output.'),
      cacheReadPerMillion: described(nonNegative, 'For input read from a cache. Default: as other input.'),
      cacheWritePerMillion: described(nonNegative, 'For input written to a cache. Default: as other input.'),
    },
    ['cacheReadPerMillion', 'cacheWritePerMillion'],
  ),
)

export interface Cost {
  readonly costUsd: number
  readonly costBasis: CostBasis
}

export interface CostFacts {
  /** In US dollars, as reported by the framework. */
  readonly reported?: number | undefined
  /** The source of that cost. Default `reported`. */
  readonly basis?: 'reported' | 'list'
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
}

/**
 * The cost that the framework reported, or else that of the table of prices. Cached tokens have separate prices; without one they
 * cost as much as input.
 *
 * @returns an empty object without a table, and, with a warning, when the model or a count is unknown
 */
export function costOf(facts: CostFacts, prices: Prices | undefined, warnings: string[]): Partial<Cost> {
  const { reported, basis = 'reported', model, usage } = facts
  if (reported !== undefined && Number.isFinite(reported) && reported >= 0)
    return { costUsd: reported, costBasis: basis }
  if (prices === undefined) return {}
  const price = model !== undefined && Object.hasOwn(prices, model) ? prices[model] : prices['*']
  if (price === undefined) return unpriced(`no price for ${model ?? 'an unknown model'}`, warnings)
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {}
  if (inputTokens === undefined || outputTokens === undefined) return unpriced('token counts are missing', warnings)
  const { inputPerMillion, outputPerMillion, cacheReadPerMillion, cacheWritePerMillion } = price
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  const millionths =
    fresh * inputPerMillion +
    cacheReadTokens * (cacheReadPerMillion ?? inputPerMillion) +
    cacheWriteTokens * (cacheWritePerMillion ?? inputPerMillion) +
    outputTokens * outputPerMillion
  return { costUsd: millionths / 1_000_000, costBasis: 'table' }
}

function unpriced(reason: string, warnings: string[]): Partial<Cost> {
  warnings.push(`cost-unknown: ${reason}`)
  return {}
}
