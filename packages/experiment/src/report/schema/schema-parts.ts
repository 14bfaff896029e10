import type { JsonObject } from '@jurist/core'

/** The building blocks of the schema of results. */
export const text: JsonObject = { type: 'string' }
export const flag: JsonObject = { type: 'boolean' }
export const amount: JsonObject = { type: 'number' }
export const count: JsonObject = { type: 'integer', minimum: 0 }
export const rate: JsonObject = { type: 'number', minimum: 0, maximum: 1 }
export const anyObject: JsonObject = { type: 'object' }
export const instant: JsonObject = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$' }

/** One of several words. */
export function oneOf(...words: readonly string[]): JsonObject {
  return { enum: words }
}

/** The value, or `null`: not known, or does not apply. */
export function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] }
}

export function listOf(items: JsonObject): JsonObject {
  return { type: 'array', items }
}

/** Any keys, each with such a value. */
export function mapOf(values: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: values }
}

/** An object with these keys, all there but the optional ones; further ones may come with later versions. */
export function objectOf(
  properties: { readonly [key: string]: JsonObject },
  optional: { readonly [key: string]: JsonObject } = {},
): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties: { ...properties, ...optional } }
}

export function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}
