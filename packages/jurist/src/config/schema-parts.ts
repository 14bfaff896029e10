import type { JsonObject } from '@jurist/core'

// Parts of the JSON Schema of a config.

export const text: JsonObject = { type: 'string' }

/** A reference to a definition of the schema. */
export function ref(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` }
}

/** An object with any names. */
export function byName(values: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: values }
}

/** An object with these properties and no others. */
export function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', additionalProperties: false, properties, ...(required.length > 0 ? { required } : {}) }
}

/** Adds a description to a schema. */
export function says(description: string, schema: JsonObject): JsonObject {
  return { description, ...schema }
}

/** `{use: NAME}`. */
export function named(key: string, others: JsonObject = {}): JsonObject {
  const use = says(`The name of one of "${key}".`, text)
  return says(`One of "${key}".`, object({ use, ...others }, 'use'))
}

/** `{module, export?, options?}`: a function that a module exports. */
export function exported(what: string, others: JsonObject = {}): JsonObject {
  const properties = {
    module: says('The path of the module, relative to the config.', text),
    export: says('The name of the export.', { ...text, default: 'default' }),
    options: says('Options. With them, the export is a factory and is called with them.', { type: 'object' }),
  }
  return says(`${what} that a module exports.`, object({ ...properties, ...others }, 'module'))
}
