import { isObject, type Json, type JsonObject, pointerSegment } from '../json.js'
import type { Check } from '../judgment-record.js'
import { isCloseTo, type Tolerance } from './numbers.js'

/** How two JSON values compare: leaves are strings, numbers, booleans, null, and empty objects and arrays. */
export interface JsonDifference {
  readonly matched: number
  /** The leaves of either value. */
  readonly total: number
  /** The first places that differ: a failed check each, named by its JSON pointer. */
  readonly checks: readonly Check[]
  /** How many places differ. */
  readonly differing: number
}

const maxChecks = 20

/** Compares a value, leaf by leaf. The order of keys does not count, that of arrays does. */
export function jsonDifference(found: Json, expected: Json, tolerance: Tolerance): JsonDifference {
  const checks: Check[] = []
  let [matched, total, differing] = [0, 0, 0]
  for (const { path, message, leaves } of places(found, expected, '', tolerance)) {
    total += leaves
    if (message === undefined) matched += leaves
    else if (++differing <= maxChecks) checks.push({ name: path === '' ? 'value' : path, passed: false, message })
  }
  return { matched, total, checks, differing }
}

interface ComparedPlace {
  readonly path: string
  /** Absent where the values are equal. */
  readonly message?: string
  readonly leaves: number
}

/** The places of two values, as deep as both have keys. */
function* places(
  found: Json | undefined,
  expected: Json | undefined,
  path: string,
  tolerance: Tolerance,
): Generator<ComparedPlace> {
  if (found === undefined || expected === undefined) {
    const message = found === undefined ? 'is missing' : 'is not expected'
    yield { path, message, leaves: leavesIn(found ?? expected ?? null) }
  } else if (isBranch(found) && isBranch(expected) && Array.isArray(found) === Array.isArray(expected)) {
    for (const key of keysOf(found, expected))
      yield* places(valueAt(found, key), valueAt(expected, key), `${path}/${pointerSegment(key)}`, tolerance)
  } else if (isSame(found, expected, tolerance)) yield { path, leaves: 1 }
  else {
    const message = `is ${brief(found)}, not ${brief(expected)}`
    yield { path, message, leaves: Math.max(leavesIn(found), leavesIn(expected)) }
  }
}

type Branch = JsonObject | readonly Json[]

/** An object or array with something in it. */
function isBranch(value: Json): value is Branch {
  return isObject(value) && Object.keys(value).length > 0
}

function keysOf(one: Branch, other: Branch): readonly string[] {
  return [...new Set([...Object.keys(other), ...Object.keys(one)])]
}

function valueAt(branch: Branch, key: string): Json | undefined {
  return Object.hasOwn(branch, key) ? (branch as JsonObject)[key] : undefined
}

function isSame(one: Json, other: Json, tolerance: Tolerance): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one === other || isCloseTo(one, other, tolerance)
  if (!isObject(one) || !isObject(other)) return one === other
  return !isBranch(one) && !isBranch(other) && Array.isArray(one) === Array.isArray(other)
}

function leavesIn(value: Json): number {
  return isBranch(value) ? Object.values(value).reduce<number>((sum, one) => sum + leavesIn(one), 0) : 1
}

function brief(value: Json): string {
  const text = isBranch(value) ? (Array.isArray(value) ? 'an array' : 'an object') : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
