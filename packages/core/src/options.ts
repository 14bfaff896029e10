import { JuristError } from './errors.js'
import { isObject, isPlainObject, type Json, type JsonObject, type Place, type Raise } from './json.js'

export interface OptionRule {
  /** Completes the sentence "must be …". */
  readonly wants: string
  readonly holds: (value: unknown) => boolean
  /** The rule as JSON Schema, for editors and forms. Absent for values that are not JSON. */
  readonly schema?: JsonObject
}

/** An option as editors, forms and documents show it: its rule, its effect and its default. */
export interface OptionDescription extends OptionRule {
  /** For readers: one sentence or more. */
  readonly description: string
  /** Absent where there is no default, or where it is not JSON. */
  readonly default?: Json
  /** For a path inside the workspace or its reference, which must not be absolute or contain `..`. */
  readonly isInside?: true
}

export type OptionDescriptions<Options extends object = { readonly [name: string]: unknown }> = {
  readonly [name in keyof Required<Options>]: OptionDescription
}

/** Descriptions of fields become part of the JSON Schema. */
export type FieldRules = { readonly [field: string]: OptionRule & Partial<OptionDescription> }

export function described(rule: OptionRule, description: string, otherwise?: Json): OptionDescription {
  return { ...rule, description, ...(otherwise === undefined ? {} : { default: otherwise }) }
}

export function propertiesOf(options: FieldRules): { readonly [name: string]: JsonObject } {
  const entries = Object.entries(options).map(([name, { schema, description, default: otherwise }]) => {
    const said = { ...(description === undefined ? {} : { description }), ...schema }
    return [name, { ...said, ...(otherwise === undefined ? {} : { default: otherwise }) }] as const
  })
  return Object.fromEntries(entries)
}

const isNumber = (value: unknown): value is number => Number.isFinite(value)

export type MemberRule = Pick<OptionRule, 'holds' | 'schema'>

export function arrayOf(wants: string, { holds, schema }: MemberRule, least = 0): OptionRule {
  return {
    wants,
    holds: (value) => Array.isArray(value) && value.length >= least && value.every((member) => holds(member)),
    ...(schema && { schema: { type: 'array', items: schema, ...(least > 0 && { minItems: least }) } }),
  }
}

const string: OptionRule = {
  wants: 'a string',
  holds: (value) => typeof value === 'string',
  schema: { type: 'string' },
}

export const option: {
  readonly anything: OptionRule
  readonly boolean: OptionRule
  readonly string: OptionRule
  readonly function: OptionRule
  readonly record: OptionRule
  readonly strings: OptionRule
  /** A finite number within [0, 1]. */
  readonly rate: OptionRule
  readonly positive: OptionRule
  readonly nonNegative: OptionRule
  readonly integer: (minimum: number) => OptionRule
  readonly oneOf: (...values: readonly string[]) => OptionRule
  readonly either: (...rules: readonly OptionRule[]) => OptionRule
} = {
  anything: { wants: 'anything', holds: () => true, schema: {} },
  boolean: { wants: 'true or false', holds: (value) => typeof value === 'boolean', schema: { type: 'boolean' } },
  string,
  function: { wants: 'a function', holds: (value) => typeof value === 'function' },
  record: { wants: 'an object', holds: isPlainObject, schema: { type: 'object' } },
  strings: /* @__PURE__ */ arrayOf('an array of strings', string),
  rate: {
    wants: 'a number from 0 to 1',
    holds: (value) => isNumber(value) && value >= 0 && value <= 1,
    schema: { type: 'number', minimum: 0, maximum: 1 },
  },
  positive: {
    wants: 'a number greater than 0',
    holds: (value) => isNumber(value) && value > 0,
    schema: { type: 'number', exclusiveMinimum: 0 },
  },
  nonNegative: {
    wants: 'a number of at least 0',
    holds: (value) => isNumber(value) && value >= 0,
    schema: { type: 'number', minimum: 0 },
  },
  integer: (minimum) => ({
    wants: `an integer of at least ${minimum}`,
    holds: (value) => Number.isSafeInteger(value) && (value as number) >= minimum,
    schema: { type: 'integer', minimum },
  }),
  oneOf: (...values) => ({
    wants: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    holds: (value) => typeof value === 'string' && values.includes(value),
    schema: { enum: values },
  }),
  either: (...rules) => ({
    wants: rules.map((rule) => rule.wants).join(', or '),
    holds: (value) => rules.some((rule) => rule.holds(value)),
    ...(rules.every(({ schema }) => schema) ? { schema: { anyOf: rules.map(({ schema = {} }) => schema) } } : {}),
  }),
}

export function optionInvalid(option: string, message: string): never {
  throw new JuristError('option-invalid', message, { option })
}

/**
 * Keys whose value is `undefined` count as absent.
 *
 * @param where the name of the factory, for the message
 * @throws `option-invalid` naming every unknown option and every invalid value
 */
export function checkOptions<Options extends object>(
  where: string,
  options: Options | undefined,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
): Options {
  if (options === undefined) return {} as Options
  if (!isObject(options) || Array.isArray(options))
    return optionInvalid('options', `${where}: options must be an object.`)
  const [first, ...more] = fieldProblems(options, rules)
  if (first !== undefined) optionInvalid(first[0], `${where}: ${[first, ...more].map(([, text]) => text).join('; ')}.`)
  return Object.freeze(
    Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  ) as Options
}

/** Missing fields are not reported. */
export function fieldProblems(given: object, rules: FieldRules): readonly (readonly [field: string, text: string])[] {
  return Object.entries(given).flatMap(([field, value]) => {
    if (value === undefined) return []
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined
    if (rule === undefined) return [[field, unknownOption(field, Object.keys(rules))]]
    return rule.holds(value) ? [] : [[field, `"${field}" must be ${rule.wants} (got ${printed(value)})`]]
  })
}

export function checkRequired<Options extends object>(
  where: string,
  options: Options,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
  required: readonly (keyof Options)[],
): Options {
  return checkOptions<Options>(where, withMissing(options, required), rules)
}

/** Sets missing fields to `null`, which breaks their rules, so that the problem describes what each must be. */
export function withMissing<Whole extends object>(given: Whole, required: readonly (keyof Whole)[]): Whole {
  const missing = required.filter((name) => given?.[name] === undefined).map((name) => [name, null])
  return { ...given, ...Object.fromEntries(missing) }
}

function unknownOption(name: string, known: readonly string[]): string {
  return `unknown option "${name}"${known.length === 0 ? '' : ` (available: ${known.join(', ')})`}`
}

/** Never shows the contents of an object. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : String(value)
}

// Rules for options that hold several values. The check and the JSON Schema follow from one declaration.

/** Fields that have no rule are ignored. */
export function hasFields<Whole extends object>(
  value: unknown,
  rules: FieldRules,
  optional: readonly string[] = [],
): value is Whole {
  if (!isPlainObject(value)) return false
  for (const field in rules) {
    const given = value[field]
    if (given === undefined ? !optional.includes(field) : rules[field]?.holds(given) === false) return false
  }
  return true
}

/** Unlike `hasFields`, other fields are errors. */
export function objectOf(wants: string, rules: FieldRules, optional: readonly string[] = []): OptionRule {
  const isKnown = ([field, given]: readonly [string, unknown]) => given === undefined || Object.hasOwn(rules, field)
  return {
    wants,
    holds: (value) => hasFields(value, rules, optional) && Object.entries(value).every(isKnown),
    ...(Object.values(rules).every(({ schema }) => schema) ? { schema: schemaOf(rules, optional) } : {}),
  }
}

function schemaOf(rules: FieldRules, optional: readonly string[]): JsonObject {
  const required = Object.keys(rules).filter((field) => !optional.includes(field))
  const needed: JsonObject = required.length === 0 ? {} : { required }
  return { type: 'object', properties: propertiesOf(rules), ...needed, additionalProperties: false }
}

export function recordOf(wants: string, { holds, schema }: MemberRule, names: RegExp = /^/): OptionRule {
  return {
    wants,
    holds: (value) =>
      isPlainObject(value) && Object.entries(value).every(([name, one]) => names.test(name) && holds(one)),
    ...(schema && { schema: { type: 'object', additionalProperties: schema } }),
  }
}

export function rangeOf(wants: string, min: string, max: string): OptionRule {
  const range = objectOf(wants, { min: described(finite, min), max: described(finite, max) })
  const holds = (value: unknown) => range.holds(value) && isAscending(value as { min: number; max: number })
  return { ...range, holds }
}

function isAscending({ min, max }: { readonly min: number; readonly max: number }): boolean {
  return min < max && Number.isFinite(max - min)
}

export const finite: OptionRule = {
  wants: 'a finite number',
  holds: (value) => Number.isFinite(value),
  schema: { type: 'number' },
}

/** Excludes 0 and 1. */
export const openRate: OptionRule = {
  wants: 'a number between 0 and 1',
  holds: (value) => typeof value === 'number' && value > 0 && value < 1,
  schema: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
}

export const abortSignal: OptionRule = {
  wants: 'an AbortSignal',
  holds: (value) => value instanceof AbortSignal,
}

export const nonBlank: OptionRule = {
  wants: 'a string that is not blank',
  holds: (value) => typeof value === 'string' && value.trim() !== '',
  schema: { type: 'string', minLength: 1 },
}

export const namedStrings: OptionRule = /* @__PURE__ */ (() => recordOf('an object of strings', option.string))()

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
