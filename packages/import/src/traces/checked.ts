import type { Json } from '@jurist/core'
import * as v from 'valibot'

/** An object with some fields that are known. Absent and `null` are the same in traces; unknown fields stay. */
export function fieldsOf<const Entries extends v.ObjectEntries>(
  entries: Entries,
): v.LooseObjectSchema<Entries, undefined> {
  return v.looseObject(entries)
}

/** A field that may be missing. */
export function maybe<const Schema extends v.GenericSchema>(schema: Schema): v.NullishSchema<Schema, undefined> {
  return v.nullish(schema, undefined)
}

/** A number of tokens. */
export const tokens: v.GenericSchema<number> = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must be at least 0'),
)

/** US dollars. */
export const dollars: v.GenericSchema<number> = v.pipe(
  v.number('must be a number'),
  v.finite('must be finite'),
  v.minValue(0, 'must be at least 0'),
)

/** Any string. */
export const text: v.GenericSchema<string> = v.string('must be a string')

/** An object of any fields. */
export const record: v.GenericSchema<{ readonly [key: string]: Json }> = v.custom<{ readonly [key: string]: Json }>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)

/** Any JSON. */
export const json: v.GenericSchema<Json> = v.custom<Json>((value) => value !== undefined, 'is missing')

/** What a schema says of a value: the value, or every problem with its place. */
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

/** A path with dots and brackets, such as `steps[2].message`. */
function placeOf(path: readonly { readonly key?: unknown }[] | undefined): string {
  return (path ?? []).reduce(
    (at, { key }) => (typeof key === 'number' ? `${at}[${key}]` : at === '' ? String(key) : `${at}.${String(key)}`),
    '',
  )
}

/** The fields of an object that its schema does not name and that are not `null`; `undefined` without one. */
export function unknownFields(
  value: object,
  { entries }: { readonly entries: object },
): { readonly [key: string]: Json } | undefined {
  return present(Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(entries, key))))
}

/** The fields that have a value; `undefined` without one. */
export function present<Value>(fields: {
  readonly [key: string]: Value
}): { readonly [key: string]: NonNullable<Value> } | undefined {
  const known = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [[key, value] as const],
  )
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

/** A problem with its place, such as `line 3`; '' is the whole file. */
export function placed(place: string, problem: string): string {
  return place === '' ? problem : `${place}: ${problem}`
}
