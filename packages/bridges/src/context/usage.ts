import type { Usage } from '@jurist/core'
import type { SafeReader } from './safe-reader.js'

type Count = keyof Usage

/** Where a framework reports each count; counts that are not named are not reported. */
export type UsagePlaces = { readonly [count in Count]?: SafeReader }

const counts: readonly Count[] = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
]

/** Each partial count, and the count that includes it. */
const parts: readonly (readonly [part: Count, whole: Count])[] = [
  ['cacheReadTokens', 'inputTokens'],
  ['cacheWriteTokens', 'inputTokens'],
  ['reasoningTokens', 'outputTokens'],
]

/**
 * A usage of reported counts. A count that is not an integer of at least 0, or that exceeds the count that includes it, is
 * dropped with the warning `usage-inconsistent: <count>`. Nothing is added up or assumed.
 *
 * @returns `undefined` if no count was reported
 *
 * @example
 * const usage = root.get('usage')
 * usageFrom({ inputTokens: usage.get('prompt_tokens'), outputTokens: usage.get('completion_tokens') }, root.warnings)
 */
export function usageFrom(places: UsagePlaces, warnings: string[]): Usage | undefined {
  const values = Object.fromEntries(counts.map((count) => [count, places[count]?.value]))
  return consistentUsage(values, warnings)
}

/** `usageFrom` for computed counts; `null` and `undefined` count as not reported. */
export function consistentUsage(given: { readonly [count in Count]?: unknown }, warnings: string[]): Usage | undefined {
  const usage: { -readonly [count in Count]?: number } = {}
  const drop = (count: Count) => {
    delete usage[count]
    warnings.push(`usage-inconsistent: ${count}`)
  }
  for (const count of counts) {
    const value = given[count]
    if (value === undefined || value === null) continue
    if (isCount(value)) usage[count] = value
    else drop(count)
  }
  for (const [part, whole] of parts) if ((usage[part] ?? 0) > (usage[whole] ?? Number.POSITIVE_INFINITY)) drop(part)
  return Object.keys(usage).length === 0 ? undefined : Object.freeze(usage)
}

/** The sum of `whole`, which must be a count, and of the counts among `more`. A malformed `whole` is returned unchanged. */
export function added(whole: SafeReader, ...more: readonly SafeReader[]): unknown {
  if (!isCount(whole.value)) return whole.value
  return more.reduce((sum, { value }) => sum + (isCount(value) ? value : 0), whole.value)
}

/**
 * The usage of all steps, count by count. A count that a step lacks is left out, with the warning
 * `usage-incomplete: <count>`, since a partial sum would mislead.
 *
 * @returns `undefined` if no step reported a count
 */
export function sumSteps(steps: readonly (Usage | undefined)[], warnings: string[]): Usage | undefined {
  const sum: { -readonly [count in Count]?: number } = {}
  for (const count of counts) {
    const known = steps.flatMap((step) => step?.[count] ?? [])
    if (known.length === 0) continue
    if (known.length < steps.length) warnings.push(`usage-incomplete: ${count}`)
    else sum[count] = known.reduce((total, value) => total + value, 0)
  }
  return Object.keys(sum).length === 0 ? undefined : Object.freeze(sum)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
