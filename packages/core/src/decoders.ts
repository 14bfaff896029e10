import type { Place, Raise } from './json.js'
import { type OptionRule, option } from './options.js'

/** Leaves out keys whose value is `undefined`, and freezes the rest. */
export function defined<Whole extends object>(parts: { readonly [key in keyof Whole]: Whole[key] | undefined }): Whole {
  return Object.freeze(Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))) as Whole
}

/** Reads one value of untrusted data. Calls `raise` with the problem if the value is invalid. */
export type Read<Value> = (value: unknown, place: Place, raise: Raise) => Value

/** Turns -0 into 0, because JSON has no -0. */
const asking =
  <Value>({ holds, wants }: OptionRule): Read<Value> =>
  (value, place, raise) =>
    holds(value) ? ((value === 0 ? 0 : value) as Value) : raise(place, `must be ${wants}`)

export const readText: Read<string> = asking(option.string)
export const readFlag: Read<boolean> = asking(option.boolean)
export const readRecord: Read<{ readonly [key: string]: unknown }> = asking(option.record)
/** Milliseconds or US dollars. */
export const readAmount: Read<number> = asking(option.nonNegative)
export const readRate: Read<number> = asking(option.rate)
export const readCount = (minimum: number): Read<number> => asking(option.integer(minimum))
export const readWord = <Word extends string>(...words: readonly Word[]): Read<Word> => asking(option.oneOf(...words))

export const optional =
  <Value>(read: Read<Value>): Read<Value | undefined> =>
  (value, place, raise) =>
    value === undefined ? undefined : read(value, place, raise)

export const readList =
  <Value>(read: Read<Value>): Read<readonly Value[]> =>
  (value, place, raise) =>
    Array.isArray(value) ? Object.freeze(readMembers(value, read, place, raise)) : raise(place, 'must be an array')

/** All members share one array as their place: an array each would take longer than reading the member. */
function readMembers<Value>(
  values: readonly unknown[],
  read: Read<Value>,
  place: Place,
  raise: Raise,
): readonly Value[] {
  const at = [...place, 0]
  return values.map((member, index) => {
    at[place.length] = index
    return read(member, at, raise)
  })
}

/** Unknown keys are dropped; the result is frozen. */
export const readObject =
  <Whole extends object>(readers: { readonly [key in keyof Whole]-?: Read<Whole[key] | undefined> }): Read<Whole> =>
  (value, place, raise) => {
    const given = readRecord(value, place, raise)
    const found: { [key in keyof Whole]?: Whole[key] } = {}
    const at = [...place, '']
    for (const key in readers) {
      at[place.length] = key
      const part = readers[key](given[key], at, raise)
      if (part !== undefined) found[key] = part
    }
    return Object.freeze(found) as Whole
  }
