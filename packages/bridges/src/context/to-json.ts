import type { Json } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'

/** Marks the place where the middle of a string was left out. */
export const leftOut: RegExp = /(… \d+ characters …)/

/**
 * Keeps both ends, with the number of omitted characters between them. The result has about `most` characters. Does not
 * split surrogate pairs.
 */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  const head = text.slice(0, isHigh(text.charCodeAt(half - 1)) ? half - 1 : half)
  const tail = text.slice(isHigh(text.charCodeAt(text.length - half - 1)) ? text.length - half + 1 : -half)
  return `${head}… ${text.length - head.length - tail.length} characters …${tail}`
}

/** A value whose JSON is longer becomes a string of both ends of that JSON. */
export function withinText(value: Json, most: number): Json {
  if (typeof value === 'string') return withoutMiddle(value, most)
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  return text.length <= most ? value : withoutMiddle(text, most)
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

export interface ToJsonOptions {
  /** In characters. Default 65,536. */
  readonly maxText?: number
}

const maxDepth = 32
const maxText = 65_536
/** Limits the size of values that contain the same objects many times. */
const maxValues = 100_000

/**
 * Converts any value to frozen JSON. Never throws. Functions, symbols and `undefined` are dropped (`null` in arrays); a
 * `Date` and a `URL` become strings, a bigint its digits, bytes `{ bytes: n }`, an `Error` its `Failure`, a map or set an
 * array, a number that is not finite its name. A cycle becomes `"[circular]"`, anything below 32 levels `"[deep]"`, a
 * getter that throws `"[unreadable]"`, everything after the first 100,000 values `"[left out]"`. Strings over 65,536
 * characters keep both ends. An own key `__proto__` is dropped.
 */
export function toJson(value: unknown, options: ToJsonOptions = {}): Json {
  return convert(value, { above: new Set(), values: { left: maxValues }, maxText: options.maxText ?? maxText }) ?? null
}

interface Converting {
  /** To detect cycles. */
  readonly above: Set<object>
  readonly values: { left: number }
  readonly maxText: number
}

/** `undefined` if JSON cannot represent the value. */
function convert(value: unknown, converting: Converting): Json | undefined {
  switch (typeof value) {
    case 'string':
      return withoutMiddle(value, converting.maxText)
    case 'number':
      return convertNumber(value)
    case 'boolean':
      return value
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? null : convertObject(value, converting)
    default:
      return undefined
  }
}

function convertNumber(value: number): Json {
  if (!Number.isFinite(value)) return String(value)
  return value === 0 ? 0 : value
}

function convertObject(value: object, converting: Converting): Json {
  const { above, values } = converting
  if (above.has(value)) return '[circular]'
  if (above.size >= maxDepth) return '[deep]'
  values.left -= 1
  if (values.left < 0) return '[left out]'
  above.add(value)
  try {
    return Object.freeze(knownClass(value) ?? convertParts(value, converting))
  } catch {
    return '[unreadable]'
  } finally {
    above.delete(value)
  }
}

/** Objects of known classes are not represented by their keys. */
function knownClass(value: object): Json | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof Error) return { ...failureOf(value) }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return { bytes: value.byteLength }
  return value instanceof URL ? value.href : undefined
}

function convertParts(value: object, converting: Converting): Json {
  const list = Array.isArray(value) || value instanceof Map || value instanceof Set ? value : undefined
  return list === undefined ? convertRecord(value, converting) : convertList(list, converting)
}

function convertList(list: Iterable<unknown>, converting: Converting): Json {
  const copy: Json[] = []
  for (const member of list) {
    if (exhausted(converting)) return [...copy, '[left out]']
    copy.push(convert(member, converting) ?? null)
  }
  return copy
}

function convertRecord(value: object, converting: Converting): Json {
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    if (key === '__proto__') continue
    if (exhausted(converting)) return copy
    const part = convertPart(value, key, converting)
    if (part !== undefined) copy[key] = part
  }
  return copy
}

function convertPart(value: object, key: string, converting: Converting): Json | undefined {
  try {
    return convert((value as { readonly [key: string]: unknown })[key], converting)
  } catch {
    return '[unreadable]'
  }
}

function exhausted({ values }: Converting): boolean {
  values.left -= 1
  return values.left < 0
}
