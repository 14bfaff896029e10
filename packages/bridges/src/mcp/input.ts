import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

type Schema = JsonObject

/** What each keyword demands of a value: what is wrong, or nothing. */
const checks: { readonly [keyword: string]: (wanted: unknown, value: unknown) => string | undefined } = {
  type: (wanted, value) =>
    list(wanted).some((type) => isOf(type, value)) ? undefined : `must be ${list(wanted).join(' or ')}`,
  enum: (wanted, value) =>
    list(wanted).some((one) => same(one, value)) ? undefined : `must be one of ${JSON.stringify(wanted)}`,
  const: (wanted, value) => (same(wanted, value) ? undefined : `must be ${JSON.stringify(wanted)}`),
  minimum: (wanted, value) => below(value, wanted, 'must be at least'),
  maximum: (wanted, value) => above(value, wanted, 'must be at most'),
  minLength: (wanted, value) => below(lengthOf(value), wanted, 'must have a length of at least'),
  maxLength: (wanted, value) => above(lengthOf(value), wanted, 'must have a length of at most'),
  minItems: (wanted, value) => below(sizeOf(value), wanted, 'must have a number of items of at least'),
  maxItems: (wanted, value) => above(sizeOf(value), wanted, 'must have a number of items of at most'),
}
const shapes = ['properties', 'required', 'additionalProperties', 'items']
const annotations = ['$schema', 'title', 'description', 'default', 'examples', 'format']
const known: ReadonlySet<string> = new Set([...Object.keys(checks), ...shapes, ...annotations])

/**
 * The first part of a schema that `inputProblems` does not check; `undefined` when it checks all. A keyword that is not checked
 * would let every input through.
 */
export function uncheckedIn(schema: unknown, at = ''): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isPlainObject(schema)) return `${at || 'the schema'}, which is not an object`
  const keyword = Object.keys(schema).find((name) => !known.has(name))
  if (keyword !== undefined) return `"${keyword}"${at === '' ? '' : ` at ${at}`}`
  const { properties = {}, items, additionalProperties } = schema
  const parts = Object.entries(isPlainObject(properties) ? properties : { properties })
  for (const [name, part] of [...parts, ['items', items], ['additionalProperties', additionalProperties]] as const) {
    const found = part === undefined ? undefined : uncheckedIn(part, `${at}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** What is wrong with an input, by a schema that `uncheckedIn` accepts; empty when it fits. */
export function inputProblems(schema: Schema | boolean, value: unknown, at = 'input'): readonly string[] {
  if (typeof schema === 'boolean') return schema ? [] : [`${at} is not known`]
  for (const [keyword, check] of Object.entries(checks)) {
    const problem = Object.hasOwn(schema, keyword) ? check(schema[keyword], value) : undefined
    if (problem !== undefined) return [`${at} ${problem}`]
  }
  if (Array.isArray(value)) {
    const items = (schema['items'] ?? true) as Schema | boolean
    return value.flatMap((entry, index) => inputProblems(items, entry, `${at}[${index}]`))
  }
  return isPlainObject(value) ? fieldProblems(schema, value, at) : []
}

function fieldProblems(schema: Schema, value: { readonly [name: string]: unknown }, at: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema
  const missing = list(required).filter((name) => !Object.hasOwn(value, String(name)))
  const wrong = Object.entries(value).flatMap(([name, part]) => {
    const own = Object.hasOwn(properties as Schema, name) ? (properties as Schema)[name] : additionalProperties
    return inputProblems(own as Schema | boolean, part, `${at}.${name}`)
  })
  return [...missing.map((name) => `${at}.${name} is missing`), ...wrong]
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const lengthOf = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined)
const sizeOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)

function below(value: unknown, least: unknown, problem: string): string | undefined {
  return typeof value === 'number' && value < Number(least) ? `${problem} ${least}` : undefined
}

function above(value: unknown, most: unknown, problem: string): string | undefined {
  return typeof value === 'number' && value > Number(most) ? `${problem} ${most}` : undefined
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    default:
      return typeof value === type
  }
}
