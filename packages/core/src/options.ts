import { JuristError } from './errors.js'
import { isObject, isPlainObject, type Json, type JsonObject } from './json.js'

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
