/**
 * A careful look into a value that somebody else made. Nothing throws: what is missing (`undefined`, `null`) is absent,
 * what is malformed is absent and named in `warnings`.
 */
export interface Look {
  /** The value itself; `undefined` where there is none. */
  readonly value: unknown
  /** Where it stands, such as `steps[0].usage`. */
  readonly path: string
  /** Shared by all looks into one result. */
  readonly warnings: string[]
  /** One part; of anything but an object there is none. A getter that throws is a warning. */
  get(key: string): Look
  text(): string | undefined
  /** A finite number. */
  number(): number | undefined
  flag(): boolean | undefined
  /** The members of a list; none of anything else. */
  list(): readonly Look[]
  /** Whether there is a value. */
  readonly present: boolean
}

/**
 * Begins to look into `value`.
 *
 * @param warnings where malformed parts are named
 *
 * @example
 * const warnings: string[] = []
 * lookInto({ usage: { total: 'many' } }, warnings).get('usage').get('total').number() // undefined
 * // warnings: ['malformed: usage.total']
 */
export function lookInto(value: unknown, warnings: string[], path = ''): Look {
  const typed = <Value>(holds: (value: unknown) => boolean): Value | undefined => {
    if (value === undefined || value === null) return undefined
    if (holds(value)) return value as Value
    warnings.push(malformed(path))
    return undefined
  }
  const member = (list: readonly unknown[], index: number): Look => {
    const place = `${path}[${index}]`
    return lookInto(
      partOf(list, String(index), () => warnings.push(malformed(place))),
      warnings,
      place,
    )
  }
  return {
    value: value ?? undefined,
    path,
    warnings,
    present: value !== undefined && value !== null,
    get: (key) => {
      const record = typed<{ readonly [key: string]: unknown }>(isObject)
      const place = path === '' ? key : `${path}.${key}`
      return lookInto(record && partOf(record, key, () => warnings.push(malformed(place))), warnings, place)
    },
    text: () => typed<string>((given) => typeof given === 'string'),
    number: () => typed<number>((given) => typeof given === 'number' && Number.isFinite(given)),
    flag: () => typed<boolean>((given) => typeof given === 'boolean'),
    list: () => {
      const list = typed<readonly unknown[]>(isList) ?? []
      return placesIn(list).map((index) => member(list, index))
    },
  }
}

/** The places of a list that are no holes. */
function placesIn(list: readonly unknown[]): readonly number[] {
  const length = Number(partOf(list, 'length'))
  const places: number[] = []
  for (let index = 0; index < length; index += 1) if (hasPart(list, index)) places.push(index)
  return places
}

function hasPart(list: readonly unknown[], index: number): boolean {
  try {
    return index in list
  } catch {
    return false
  }
}

/** One part of a live object; `undefined` when its getter throws, and `broken` is told. */
export function partOf(record: object, key: string, broken?: () => void): unknown {
  try {
    return (record as { readonly [key: string]: unknown })[key]
  } catch {
    broken?.()
    return undefined
  }
}

/** A list, and one that may be looked at: to ask that of a proxy that was revoked throws. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** An object of any class, or a function with properties. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function malformed(path: string): string {
  return `malformed: ${path === '' ? 'the result' : path}`
}
