import type { Json } from '@jurist/core'
import * as v from 'valibot'

/** Absent and `null` mean the same in traces, and unknown fields are kept. */
export function fieldsOf<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.LooseObjectSchema<Entries, undefined> {
  return v.looseObject(entries)
}

export function maybe<const Schema extends v.GenericSchema>(schema: Schema): v.NullishSchema<Schema, undefined> {
  return v.nullish(schema, undefined)
}

export const tokens: v.GenericSchema<number> = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must be at least 0'),
)

export const dollars: v.GenericSchema<number> = v.pipe(
  v.number('must be a number'),
  v.finite('must be finite'),
  v.minValue(0, 'must be at least 0'),
)

export const text: v.GenericSchema<string> = v.string('must be a string')

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
  const result = v.safeParse(schema, value)
  if (result.success) return { value: result.output }
  return { problems: result.issues.map((issue) => `${placeOf(issue.path) || 'it'} ${wordsOf(issue)}`) }
}

function wordsOf({ received, message }: v.BaseIssue<unknown>): string {
  return received === 'undefined' ? 'is missing' : message
}

/** Formats a path with dots and brackets, such as `steps[2].message`. */
function placeOf(path: readonly { readonly key?: unknown }[] | undefined): string {
  return (path ?? []).reduce(
    (at, { key }) => (typeof key === 'number' ? `${at}[${key}]` : at === '' ? String(key) : `${at}.${String(key)}`),
    '',
  )
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
