import { isPlainObject, printed } from '@jurist/core/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { ExperimentIssue } from './errors.js'

/** The result of a check: it has a value if there are no issues. */
export type CheckedFields<Value> =
  | { readonly value: Value; readonly issues: readonly [] }
  | { readonly value: undefined; readonly issues: readonly ExperimentIssue[] }

/** How issues are worded. */
export interface FieldWording {
  /** Where the value is, such as `items[3]`. Default: it is the whole. */
  readonly prefix?: string
  /** The name of the value as a whole. Default: the prefix. */
  readonly whole?: string
  /** How an issue names the field at a path below the value. Default: as `items[3].status` after the prefix. */
  readonly fieldOf?: ((keys: readonly unknown[]) => string) | undefined
  /** Remedies by field; `''` is the whole value. */
  readonly remedies?: { readonly [field: string]: string }
  /** The remedy for any other field. Default `Correct it.` */
  readonly remedy?: string
}

/** One problem within a value: the keys that lead to it, and the remedy if the schema has one. */
export interface FieldIssue {
  readonly keys: readonly (string | number)[]
  /** Without a full stop. */
  readonly problem: string
  readonly remedy: string | null
}

/**
 * Every problem of a value according to a valibot schema. The message of a schema states the requirement, such as `must
 * be a string`; the given value is appended.
 */
export function fieldIssues(schema: v.GenericSchema, value: unknown): readonly FieldIssue[] {
  return (v.safeParse(schema, value).issues ?? []).map((issue) => ({
    keys: issue.path?.map(({ key }) => key as string | number) ?? [],
    problem: problemOf(issue),
    remedy: issue.type === 'raw_check' ? issue.expected : null,
  }))
}

/** Checks a value against a valibot schema and reports every issue. */
export function checkFields<Value>(
  schema: v.GenericSchema<unknown, Value>,
  value: unknown,
  { prefix = '', whole = prefix, fieldOf, remedies = {}, remedy = 'Correct it.' }: FieldWording = {},
): CheckedFields<Value> {
  const result = v.safeParse(schema, value)
  if (result.success) return { value: result.output, issues: [] }
  const issues = new Map<string, ExperimentIssue>()
  for (const { keys, problem: found, remedy: own } of fieldIssues(schema, value)) {
    const name = String(keys.findLast((key) => typeof key === 'string') ?? '')
    const field = keys.length === 0 ? whole : (fieldOf?.(keys) ?? fieldName(prefix, keys))
    const problem = `${found}.`
    const advice = own ?? (Object.hasOwn(remedies, name) ? remedies[name] : undefined) ?? remedy
    // A value that breaks two limits of one rule is one issue.
    issues.set(`${field}\0${problem}`, Object.freeze({ field, problem, remedy: advice }))
  }
  return { value: undefined, issues: [...issues.values()] }
}

/** `items[3]` and `['status']` as `items[3].status`. */
function fieldName(prefix: string, keys: readonly unknown[]): string {
  return keys.reduce<string>((before, key) => {
    return typeof key === 'number' ? `${before}[${key}]` : before === '' ? String(key) : `${before}.${String(key)}`
  }, prefix)
}

function problemOf({ type, input, message }: v.BaseIssue<unknown>): string {
  if (type === 'raw_check') return message
  if (input === undefined) return 'is missing'
  return message.startsWith('must be ') ? `${message} (got ${printed(input)})` : message
}

/** The keys that an object may have besides its entries, and the remedy for others. */
export interface KeyNames {
  /** Keys that are checked elsewhere. */
  readonly others?: readonly string[]
  /** Keys of other tools, with the key to use instead. */
  readonly renamed?: { readonly [key: string]: string }
  /** The remedy for an unknown key that resembles no known one. Default: names all known keys. */
  readonly remedy?: string
}

/** A schema of an object with these keys. Every other key is an issue that names the one that was probably meant. */
export function fields<const Entries extends v.ObjectEntries>(
  entries: Entries,
  { others = [], renamed = {}, remedy }: KeyNames = {},
): v.GenericSchema<unknown, v.InferOutput<v.ObjectSchema<Entries, undefined>>> {
  const known = [...Object.keys(entries), ...others]
  const unknownKeys = v.rawCheck<Readonly<Record<string, unknown>>>(({ dataset, addIssue }) => {
    if (!isPlainObject(dataset.value)) return
    for (const [key, given] of Object.entries(dataset.value)) {
      if (known.includes(key) || given === undefined) continue
      const near = Object.hasOwn(renamed, key) ? renamed[key] : nearestNames(key, known)[0]
      const advice = near === undefined ? (remedy ?? `Available: ${known.join(', ')}.`) : `Did you mean "${near}"?`
      addIssue(rawIssue({ keys: [key], problem: 'is not a known key', remedy: advice }))
    }
  })
  return v.pipe(record, v.looseObject(entries), unknownKeys) as v.GenericSchema<
    unknown,
    v.InferOutput<v.ObjectSchema<Entries, undefined>>
  >
}

/** A schema with a description, for editors. */
export function withDescription<Value>(
  schema: v.GenericSchema<unknown, Value>,
  description: string,
): v.GenericSchema<unknown, Value> {
  return v.pipe(schema, v.description(description))
}

/** An optional key, with its description. */
export function optional<Value>(
  schema: v.GenericSchema<unknown, Value> | v.GenericSchema<Value>,
  description: string,
): v.OptionalSchema<v.GenericSchema<unknown, Value>, undefined> {
  return v.optional(withDescription(schema as v.GenericSchema<unknown, Value>, description))
}

/** An issue that a check of ours found, below the value that was checked. The problem has no full stop. */
export interface FoundIssue extends Omit<ExperimentIssue, 'field'> {
  readonly keys?: readonly string[]
}

/** A step of a schema that adds the issues which a function finds in a value that is otherwise good. */
export function adds<Value>(find: (value: Value) => readonly FoundIssue[]): v.RawCheckAction<Value> {
  return v.rawCheck<Value>(({ dataset, addIssue }) => {
    if (dataset.typed) for (const found of find(dataset.value)) addIssue(rawIssue(found))
  })
}

function rawIssue({ keys = [], problem, remedy }: FoundIssue): v.RawCheckIssueInfo<unknown> {
  const [first, ...rest] = keys.map(
    (key) => ({ type: 'unknown', origin: 'value', input: undefined, key, value: undefined }) as const,
  )
  return { message: problem, expected: remedy, ...(first === undefined ? {} : { path: [first, ...rest] }) }
}

/** A plain object. */
export const record: v.GenericSchema<Readonly<Record<string, unknown>>> = v.custom(isPlainObject, 'must be an object')
export const anyText: v.GenericSchema<string> = v.string('must be a string')
/** A string that is not blank. */
export const text: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check((value) => value.trim() !== '', 'is blank'),
)
export const texts: v.GenericSchema<string[]> = v.array(anyText, 'must be an array of strings')
export const yesOrNo: v.GenericSchema<boolean> = v.boolean('must be true or false')
/** All, none, or those that are named. */
export const allOrSome: v.GenericSchema = v.union([v.boolean(), texts], 'must be true, false or an array of strings')
export const callback: v.GenericSchema = v.function('must be a function')

function above(message: string): v.GenericSchema<number> {
  return v.pipe(v.number(message), v.finite(message), v.gtValue(0, message))
}
export const positive: v.GenericSchema<number> = above('must be a finite number above 0')
export const milliseconds: v.GenericSchema<number> = above('must be a finite number of milliseconds above 0')
const least0 = 'must be a finite number of at least 0'
export const notNegative: v.GenericSchema<number> = v.pipe(v.number(least0), v.finite(least0), v.minValue(0, least0))
const least1 = 'must be a whole number of at least 1'
/** How many of something, at least one. */
export const count: v.GenericSchema<number> = v.pipe(v.number(least1), v.safeInteger(least1), v.minValue(1, least1))

/** A schema for each key of an interface. */
export type SchemasOf<Options> = { readonly [name in keyof Required<Options>]: v.GenericSchema }
