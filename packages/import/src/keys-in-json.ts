import { withoutKeys } from '@jurist/bridges/internal'
import type { Json } from '@jurist/core'

/** Shorter strings cannot contain a key. */
const shortest = 8

/**
 * Replaces what looks like a key in the strings of a JSON value by `***`: headers with a key, bearer tokens, keys with
 * the prefix of a service. The value must not be nested deeply.
 *
 * @param found called for each string that was changed
 */
export function withoutKeysIn(value: Json, found: () => void): Json {
  if (typeof value === 'string') {
    if (value.length < shortest) return value
    const clean = withoutKeys(value)
    if (clean !== value) found()
    return clean
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => withoutKeysIn(one, found))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutKeysIn(one as Json, found)]))
}
