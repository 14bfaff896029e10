import type { Json, Usage } from '@jurist/core'
import { option, usageCounts } from '@jurist/core/internal'
import type { SafeReader } from './safe-reader.js'
import { toJson } from './to-json.js'

type Count = keyof Usage

/**
 * The path of each count in a framework's usage, such as `details.cached_tokens`, or several, of which the first with a
 * value counts. Counts without a path are not reported.
 */
type UsagePlaces = { readonly [count in Count]?: string | readonly string[] }

/** Each partial count, and the count that includes it. */
const parts: readonly (readonly [part: Count, whole: Count])[] = [
  ['cacheReadTokens', 'inputTokens'],
  ['cacheWriteTokens', 'inputTokens'],
  ['reasoningTokens', 'outputTokens'],
]

/**
 * A count that is not an integer of at least 0, or that exceeds the count that includes it, is dropped with the warning
 * `usage-inconsistent: <count>`. Nothing is added up or assumed.
 *
 * @returns `undefined` if no count was reported
 */
export function usageFrom(usage: SafeReader, places: UsagePlaces): Usage | undefined {
  const at = (path: string) => path.split('.').reduce((reader, key) => reader.get(key), usage).value
  const values = Object.entries(places).map(([count, paths]) => [count, [paths].flat().map(at).find(isReported)])
  return consistentUsage(Object.fromEntries(values), usage.warnings)
}

/** The usage of one step as it is, of several as an array. */
export function reportedUsage(usages: readonly SafeReader[]): Json | undefined {
  const reported = usages.flatMap((usage) => (usage.present ? [toJson(usage.value)] : []))
  return reported.length > 1 ? reported : reported[0]
}

function isReported(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** `usageFrom` of computed counts; `null` and `undefined` count as not reported. */
export function consistentUsage(given: { readonly [count in Count]?: unknown }, warnings: string[]): Usage | undefined {
  const usage: { -readonly [count in Count]?: number } = {}
  const drop = (count: Count) => {
    delete usage[count]
    warnings.push(`usage-inconsistent: ${count}`)
  }
  for (const count of usageCounts) {
    const value = given[count]
    if (!isReported(value)) continue
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
 * A count that a step lacks is left out, with the warning `usage-incomplete: <count>`, since a partial sum would
 * mislead.
 *
 * @returns `undefined` if no step reported a count
 */
export function sumSteps(steps: readonly (Usage | undefined)[], warnings: string[]): Usage | undefined {
  const sum: { -readonly [count in Count]?: number } = {}
  for (const count of usageCounts) {
    const known = steps.flatMap((step) => step?.[count] ?? [])
    if (known.length === 0) continue
    if (known.length < steps.length) warnings.push(`usage-incomplete: ${count}`)
    else sum[count] = known.reduce((total, value) => total + value, 0)
  }
  return Object.keys(sum).length === 0 ? undefined : Object.freeze(sum)
}

function isCount(value: unknown): value is number {
  return countRule.holds(value)
}

const countRule = option.integer(0)

/** Anthropic's protocol does not include cached tokens in the input tokens. */
export function anthropicUsage(usage: SafeReader): Usage | undefined {
  const read = usage.get('cache_read_input_tokens')
  const written = usage.get('cache_creation_input_tokens')
  return consistentUsage(
    {
      inputTokens: added(usage.get('input_tokens'), read, written),
      cacheReadTokens: read.value,
      cacheWriteTokens: written.value,
      outputTokens: usage.get('output_tokens').value,
      reasoningTokens: usage.get('output_tokens_details').get('thinking_tokens').value,
    },
    usage.warnings,
  )
}
