import type { Usage } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { option } from '@jurist/core/internal'
import type { Price } from '@jurist/core/llm'
import type { CostBasis } from './run-facts.js'

/**
 * Prices in US dollars per million tokens, by the name of the model that answered; `*` is any other model. The package
 * includes no prices.
 */
export interface Prices {
  readonly [model: string]: Price & { readonly cacheWritePerMillion?: number }
}

const priceNames: ReadonlySet<string> = new Set([
  'inputPerMillion',
  'outputPerMillion',
  'cacheReadPerMillion',
  'cacheWritePerMillion',
])

/** The rule of the option `prices`. */
export const pricesRule: OptionRule = {
  wants: 'an object with "inputPerMillion" and "outputPerMillion" of at least 0 for each model',
  holds: (value) => option.record.holds(value) && Object.values(value as object).every(isPrice),
  schema: { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'number' } } },
}

function isPrice(value: unknown): boolean {
  if (!option.record.holds(value)) return false
  const { inputPerMillion, outputPerMillion, ...cached } = value as { readonly [name: string]: unknown }
  const needed = [inputPerMillion, outputPerMillion].every(option.nonNegative.holds)
  return (
    needed && Object.entries(cached).every(([name, price]) => priceNames.has(name) && option.nonNegative.holds(price))
  )
}

/** The cost of a run, and its source. */
export interface Cost {
  readonly costUsd: number
  readonly costBasis: CostBasis
}

/** What determines a cost. */
export interface CostFacts {
  /** The cost in US dollars that the framework reported. */
  readonly reported?: number | undefined
  /** The source of that cost. Default `reported`. */
  readonly basis?: 'reported' | 'list'
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
}

/**
 * The cost of a run: as the framework reported it, else by the table of prices. Cached tokens have prices of their own;
 * without one they cost as much as input.
 *
 * @returns an empty object without a table, and, with a warning, when the model or a count is unknown
 *
 * @example
 * costOf({ model: 'm', usage: { inputTokens: 1_000_000, outputTokens: 0 } }, { m: { inputPerMillion: 2, outputPerMillion: 8 } }, [])
 * // { costUsd: 2, costBasis: 'table' }
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
