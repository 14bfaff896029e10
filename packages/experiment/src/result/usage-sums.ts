import type { Usage } from '@jurist/core'
import { totalUsage } from '@jurist/core/internal'

/**
 * The sum of several usages: each number over the usages that have it; `null` when none has a number.
 *
 * @example
 * sumUsage([{ inputTokens: 3 }, null, { inputTokens: 4 }]) // { inputTokens: 7 }
 */
export function sumUsage(usages: readonly (Usage | null | undefined)[]): Usage | null {
  if (!usages.some(isKnown)) return null
  const total = totalUsage(usages)
  return Object.keys(total).length === 0 ? null : total
}

function isKnown(usage: Usage | null | undefined): boolean {
  return usage !== null && usage !== undefined
}

/**
 * Tokens in all, for budgets and tables: the reported total, else input and output when both are known, else `null`.
 *
 * @example
 * import { tokensOf } from '@jurist/experiment/result'
 *
 * tokensOf({ inputTokens: 3, outputTokens: 1 }) // 4
 */
export function tokensOf(usage: Usage | null): number | null {
  const { totalTokens, inputTokens, outputTokens } = usage ?? {}
  if (totalTokens !== undefined) return totalTokens
  return inputTokens === undefined || outputTokens === undefined ? null : inputTokens + outputTokens
}
