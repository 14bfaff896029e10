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

/** `{use: NAME}`. */
export function named(key: string, others: JsonObject = {}): JsonObject {
  const use = { description: `The name of one of "${key}".`, ...text }
  return { description: `One of "${key}".`, ...object({ use, ...others }, 'use') }
}

/** `{module, export?, options?}`: a function that a module exports. */
export function exported(what: string, others: JsonObject = {}): JsonObject {
  const properties = {
    module: { description: 'The path of the module, relative to the config.', ...text },
    export: { description: 'The name of the export.', ...text, default: 'default' },
    options: { description: 'Options. With them, the export is a factory and is called with them.', type: 'object' },
  }
  return { description: `${what} that a module exports.`, ...object({ ...properties, ...others }, 'module') }
}
