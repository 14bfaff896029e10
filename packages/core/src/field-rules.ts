import { isPlainObject, type JsonObject } from './json.js'
import { described, type FieldRules, type MemberRule, type OptionRule, option, propertiesOf } from './options.js'

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
