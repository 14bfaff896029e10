import { finite, option } from '@jurist/core/internal'

/**
 * Reads a value that other software made. Nothing throws: missing parts (`undefined`, `null`) are absent, and malformed
 * parts are absent and named in `warnings`.
 *
 * Frameworks return instances of classes with getters, some of which throw or print a warning when they are read. This
 * reader therefore reads a part only when it is asked for it, and one malformed part leaves the others readable; schema
 * libraries read a whole object first.
 */
export interface SafeReader {
  /** `undefined` if it is missing. */
  readonly value: unknown
  /** Such as `steps[0].usage`. */
  readonly path: string
  /** Shared by all readers of one result. */
  readonly warnings: string[]
  readonly present: boolean
  /** Reads one property. Absent for anything but an object; a getter that throws is a warning. */
  get(key: string): SafeReader
  string(): string | undefined
  number(): number | undefined
  /** A finite number of at least 0, such as dollars. */
  amount(): number | undefined
  boolean(): boolean | undefined
  /** The members of an array; empty for anything else. */
  array(): readonly SafeReader[]
}

/** @param warnings receives the names of malformed parts */
export function readSafely(value: unknown, warnings: string[], path = ''): SafeReader {
  const typed = <Value>(holds: (value: unknown) => boolean): Value | undefined => {
    if (value === undefined || value === null) return undefined
    if (holds(value)) return value as Value
    warnings.push(malformed(path))
    return undefined
  }
  const property = (owner: object, key: string, place: string): SafeReader =>
    readSafely(
      propertyOf(owner, key, () => warnings.push(malformed(place))),
      warnings,
      place,
    )
  return {
    value: value ?? undefined,
    path,
    warnings,
    present: value !== undefined && value !== null,
    get: (key) => {
      const owner = typed<object>(isObject)
      const place = path === '' ? key : `${path}.${key}`
      return owner === undefined ? readSafely(undefined, warnings, place) : property(owner, key, place)
    },
    string: () => typed<string>(option.string.holds),
    number: () => typed<number>(finite.holds),
    amount: () => typed<number>(option.nonNegative.holds),
    boolean: () => typed<boolean>(option.boolean.holds),
    array: () => {
      const array = typed<readonly unknown[]>(isReadableArray) ?? []
      return indexesOf(array).map((index) => property(array, String(index), `${path}[${index}]`))
    },
  }
}

/** Leaves out holes. */
function indexesOf(array: readonly unknown[]): readonly number[] {
  const length = Number(propertyOf(array, 'length'))
  const indexes: number[] = []
  for (let index = 0; index < length; index += 1) if (hasIndex(array, index)) indexes.push(index)
  return indexes
}

function hasIndex(array: readonly unknown[], index: number): boolean {
  try {
    return index in array
  } catch {
    return false
  }
}

/** `undefined` when the getter throws, after a call of `broken`. */
export function propertyOf(owner: object, key: string, broken?: () => void): unknown {
  try {
    return (owner as { readonly [key: string]: unknown })[key]
  } catch {
    broken?.()
    return undefined
  }
}

/** Unlike `Array.isArray`, it does not throw for a revoked proxy. */
export function isReadableArray(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function malformed(path: string): string {
  return `malformed: ${path === '' ? 'the result' : path}`
}
