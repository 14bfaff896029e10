import { JuristError } from './errors.js'

/** A value that survives JSON unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** A place within a value: keys and indices from the outside in. */
export type Place = readonly (string | number)[]

/** Throws an error that states the problem and where it is. */
export type Raise = (place: Place, problem: string) => never

const maxDepth = 1_000
const identifier = /^[A-Za-z_$][\w$]*$/

/** `['metadata', 'a key', 1]` as `metadata["a key"][1]`; the whole is `$`. */
export function dotted(place: Place): string {
  if (place.length === 0) return '$'
  return place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`
    if (!identifier.test(step)) return `${path}[${JSON.stringify(step)}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

/** `['individual', 'a/b']` as the RFC 6901 pointer `/individual/a~1b`; the whole is the empty string. */
export function pointer(place: Place): string {
  return place.map((step) => `/${pointerSegment(String(step))}`).join('')
}

/** One segment of an RFC 6901 pointer: `~` is `~0`, `/` is `~1`. */
export function pointerSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Any object, arrays and class instances included; not a function. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Accepts objects of any realm. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (!isObject(value) || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Copies deeply, so that later changes to the original have no effect.
 *
 * @param value the value to copy
 * @param place the name of the value in an error, such as `['metadata']`
 * @param raise called with the first problem, instead of throwing the error below
 * @throws `metadata-invalid` with the path, for `undefined` (holes of arrays too), functions, symbols, bigint, NaN,
 * infinities, cycles, anything but plain objects and arrays, an own key `__proto__`, more than 1,000 levels
 */
export function frozenJson(value: unknown, place: Place, raise: Raise = metadataInvalid): Json {
  return copyValue(value, place, { above: new Set(), raise })
}

interface Copying {
  /** The objects around the value, to detect a cycle. */
  readonly above: Set<object>
  readonly raise: Raise
}

function copyValue(value: unknown, place: Place, copying: Copying): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return copyNumber(value, place, copying)
    case 'object':
      return value === null ? null : copyObject(value, place, copying)
    default:
      return copying.raise(
        place,
        `is ${value === undefined ? 'undefined' : `a ${typeof value}`}, which JSON does not have`,
      )
  }
}

function copyNumber(value: number, place: Place, { raise }: Copying): number {
  if (!Number.isFinite(value)) return raise(place, `is ${value}, which JSON does not have`)
  return value === 0 ? 0 : value
}

function copyObject(value: object, place: Place, copying: Copying): Json {
  const { above, raise } = copying
  if (above.has(value)) return raise(place, 'contains itself')
  if (above.size >= maxDepth) return raise(place.slice(0, 4), `is nested deeper than ${maxDepth} levels`)
  above.add(value)
  const copy = Array.isArray(value) ? copyArray(value, place, copying) : copyRecord(value, place, copying)
  above.delete(value)
  return copy
}

function copyArray(value: readonly unknown[], place: Place, copying: Copying): Json {
  // Array.from visits holes as undefined, which is rejected.
  return Object.freeze(Array.from(value, (entry, index) => copyValue(entry, [...place, index], copying)))
}

function copyRecord(value: object, place: Place, copying: Copying): Json {
  if (!isPlainObject(value)) return copying.raise(place, `is ${className(value)}, which is not a plain object`)
  if (Object.getOwnPropertySymbols(value).length > 0) return copying.raise(place, 'has a symbol as a key')
  const copy: { [key: string]: Json } = {}
  for (const key of Object.keys(value)) {
    const at = [...place, key]
    if (key === '__proto__') return copying.raise(at, 'is a key that is not allowed')
    copy[key] = copyValue(value[key], at, copying)
  }
  return Object.freeze(copy)
}

function className(value: object): string {
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object of a class'
}

export function metadataInvalid(place: Place, problem: string): never {
  const path = dotted(place)
  throw new JuristError(
    'metadata-invalid',
    `${path} ${problem}. Use only JSON: strings, finite numbers, booleans, null, arrays and plain objects.`,
    { path },
  )
}

/** Sorts the keys of every object, so that equal values have equal strings. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value))
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).map(([key, part]) => [key, sorted(part)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A value in a message. */
export function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
