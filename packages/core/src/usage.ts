import { optional, type Read, readCount, readObject } from './options.js'

/**
 * Numbers of tokens. `inputTokens` counts all input, cached input included; `reasoningTokens` is part of
 * `outputTokens`; `totalTokens` is as reported by the source, never added up. A number that was not reported is absent.
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly totalTokens?: number
}

/** In the order in which they are shown. */
export const usageCounts: readonly (keyof Usage)[] = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
]

const readTokens = optional(readCount(0))

export const readUsage: Read<Usage> = readObject<Usage>(
  Object.fromEntries(usageCounts.map((key) => [key, readTokens])) as { [key in keyof Usage]-?: typeof readTokens },
)

export interface Spent {
  readonly usage?: Usage
  readonly costUsd?: number
}

/** A value that is missing in every part is absent. */
export function totalSpent(parts: readonly (Spent | null | undefined)[]): Spent {
  const usage = totalUsage(parts.map((part) => part?.usage))
  const costUsd = totalCost(parts.map((part) => part?.costUsd))
  return {
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}

/** Sums each key over the usages that have it. Returns `{}` when no usage has a key. */
export function totalUsage(usages: Iterable<Usage | null | undefined>): Usage {
  const total: { -readonly [key in keyof Usage]: number } = {}
  for (const usage of usages) {
    if (usage === undefined || usage === null) continue
    for (const key of usageCounts) {
      const count = usage[key]
      if (count !== undefined) total[key] = (total[key] ?? 0) + count
    }
  }
  return Object.freeze(total)
}

/** Sums the declared costs; `undefined` when none was declared (0 is free). */
export function totalCost(costs: Iterable<number | null | undefined>): number | undefined {
  let total: number | undefined
  for (const cost of costs) if (cost !== undefined && cost !== null) total = (total ?? 0) + cost
  return total
}
