import type { Json } from '@jurist/core'
import { checkFields, notNegative } from '@jurist/experiment/internal/config'
import * as v from 'valibot'

export { anyText as text } from '@jurist/experiment/internal/config'

/** Absent and `null` mean the same in traces. */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema): v.NullishSchema<Schema, undefined> {
  return v.nullish(schema, undefined)
}

export const tokens: v.GenericSchema<number> = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must be at least 0'),
)

export const dollars: v.GenericSchema<number> = notNegative

export const record: v.GenericSchema<{ readonly [key: string]: Json }> = v.custom<{ readonly [key: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)

export const json: v.GenericSchema<Json> = v.custom<Json>((value) => value !== undefined, 'is missing')

/** Returns the value, or every problem with its place. */
export function checked<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): { readonly value: v.InferOutput<Schema> } | { readonly problems: readonly string[] } {
  const read = checkFields(schema as v.GenericSchema<unknown, v.InferOutput<Schema>>, value, { whole: 'it' })
  if (read.issues.length === 0) return { value: read.value as v.InferOutput<Schema> }
  return { problems: read.issues.map(({ field, problem }) => `${field} ${problem}`.replace(/\.$/, '')) }
}

/** Returns the fields that are neither in the schema nor `null`; `undefined` if there are none. */
export function unknownFields(
  value: object,
  { entries }: { readonly entries: object },
): { readonly [key: string]: Json } | undefined {
  return present(Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(entries, key))))
}

/** Returns the fields that have a value; `undefined` if there are none. */
export function present<Value>(fields: {
  readonly [key: string]: Value
}): { readonly [key: string]: NonNullable<Value> } | undefined {
  const known = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [[key, value] as const],
  )
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** Adds the place of a problem, such as `line 3`; '' stands for the whole file. */
export function placed(place: string, problem: string): string {
  return place === '' ? problem : `${place}: ${problem}`
}
