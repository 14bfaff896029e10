import type { Place, Raise } from './json.js'

/**
 * Tokens. `inputTokens` counts all input, the cached too; `reasoningTokens` is part of `outputTokens`; `totalTokens`
 * only as the source reported it, never added up. A number that nobody reported is absent.
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly totalTokens?: number
}

const keys = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
] as const satisfies readonly (keyof Usage)[]

/** The usage in `value` as a frozen copy; `raise` is told of the first number that is no count. */
export function readUsage(value: unknown, place: Place, raise: Raise): Usage {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return raise(place, 'must be an object')
  const given = value as Readonly<Record<string, unknown>>
  const usage: { -readonly [key in keyof Usage]: number } = {}
  for (const key of keys) {
    const count = given[key]
    if (count === undefined) continue
    if (!Number.isInteger(count) || (count as number) < 0)
      return raise([...place, key], 'must be a whole number of at least 0')
    usage[key] = (count as number) + 0
  }
  return Object.freeze(usage)
}

/**
 * The sum of several usages: each key over those that have it; `{}` when none has any.
 *
 * @example
 * totalUsage([{ inputTokens: 3 }, undefined, { inputTokens: 4, outputTokens: 1 }]) // { inputTokens: 7, outputTokens: 1 }
 */
export function totalUsage(usages: Iterable<Usage | null | undefined>): Usage {
  const total: { -readonly [key in keyof Usage]: number } = {}
  for (const usage of usages) {
    if (usage === undefined || usage === null) continue
    for (const key of keys) {
      const count = usage[key]
      if (count !== undefined) total[key] = (total[key] ?? 0) + count
    }
  }
  return Object.freeze(total)
}

/** The sum of several costs over those that were declared; `undefined` when nobody declared one (0 is free). */
export function totalCost(costs: Iterable<number | null | undefined>): number | undefined {
  let total: number | undefined
  for (const cost of costs) if (cost !== undefined && cost !== null) total = (total ?? 0) + cost
  return total
}
