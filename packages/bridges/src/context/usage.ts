import type { Usage } from '@jurist/core'
import type { Look } from './safe-reader.js'

type Count = keyof Usage

/** Where each count of a usage stands in what a framework reports; what is not named is not reported. */
export type UsagePlaces = { readonly [count in Count]?: Look }

const counts: readonly Count[] = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
]

/** Each part, and the whole it is contained in. */
const parts: readonly (readonly [part: Count, whole: Count])[] = [
  ['cacheReadTokens', 'inputTokens'],
  ['cacheWriteTokens', 'inputTokens'],
  ['reasoningTokens', 'outputTokens'],
]

/**
 * A usage of reported counts. A count that is no whole number of at least 0, and a part larger than its whole, is
 * dropped with the warning `usage-inconsistent: <count>`; nothing is added up and nothing assumed.
 *
 * @returns `undefined` when no count was reported
 *
 * @example
 * const usage = look.get('usage')
 * usageFrom({ inputTokens: usage.get('prompt_tokens'), outputTokens: usage.get('completion_tokens') }, look.warnings)
 */
export function usageFrom(places: UsagePlaces, warnings: string[]): Usage | undefined {
  const values = Object.fromEntries(counts.map((count) => [count, places[count]?.value]))
  return consistentUsage(values, warnings)
}

/** `usageFrom` for counts that have been worked out already; `null` and `undefined` count as not reported. */
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

/** The sum of counts of which the first must be there: input plus its cached parts. Anything malformed stays as it is. */
export function added(whole: Look, ...more: readonly Look[]): unknown {
  if (!isCount(whole.value)) return whole.value
  return more.reduce((sum, { value }) => sum + (isCount(value) ? value : 0), whole.value)
}

/**
 * The usage of a run of several steps, count by count. A count that some step lacks is absent in the sum, with the
 * warning `usage-incomplete: <count>`: half a sum is no figure.
 *
 * @returns `undefined` when no step reported any
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
