import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'

/** What is wrong with an input, by its JSON Schema; empty when it fits. */
export function inputProblems(schema: JsonObject, input: unknown, at = 'input'): readonly string[] {
  const { type, enum: values, properties, required, additionalProperties, items } = schema
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((one) => isOf(one, input)))
    return [`${at} must be ${Array.isArray(type) ? type.join(' or ') : String(type)}`]
  if (Array.isArray(values) && !values.some((value) => JSON.stringify(value) === JSON.stringify(input)))
    return [`${at} must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`]
  if (Array.isArray(input) && isPlainObject(items))
    return input.flatMap((entry, index) => inputProblems(items as JsonObject, entry, `${at}[${index}]`))
  if (!isPlainObject(input)) return []
  const known = isPlainObject(properties) ? (properties as { readonly [name: string]: JsonObject }) : {}
  const missing = (Array.isArray(required) ? required : []).filter((name) => !Object.hasOwn(input, String(name)))
  const unknown = additionalProperties === false ? Object.keys(input).filter((name) => !Object.hasOwn(known, name)) : []
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...unknown.map((name) => `${at}.${name} is not known`),
    ...Object.entries(input).flatMap(([name, value]) => {
      const part = Object.hasOwn(known, name) ? known[name] : undefined
      return part === undefined ? [] : inputProblems(part, value, `${at}.${name}`)
    }),
  ]
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
