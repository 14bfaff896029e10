import type { Schema } from '@cfworker/json-schema'

const itself: Schema = { $ref: '#' }
const names: Schema = { type: 'array', items: { type: 'string' } }
const byName: Schema = { type: 'object', additionalProperties: itself }
const several: Schema = { type: 'array', items: itself, minItems: 1 }
const count: Schema = { type: 'integer', minimum: 0 }
const typeName: Schema = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }

/** What a JSON Schema must be: the rules that drafts 4 to 2020-12 have in common. */
export const rulesOfSchemas: Schema = {
  type: ['object', 'boolean'],
  properties: {
    type: { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1 }] },
    enum: { type: 'array' },
    required: names,
    items: { anyOf: [itself, { type: 'array', items: itself }] },
    ...Object.fromEntries(['properties', 'patternProperties', '$defs', 'definitions'].map((name) => [name, byName])),
    ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, several])),
    ...Object.fromEntries(
      ['additionalProperties', 'not', 'if', 'then', 'else', 'contains'].map((name) => [name, itself]),
    ),
    ...Object.fromEntries(['minLength', 'maxLength', 'minItems', 'maxItems'].map((name) => [name, count])),
    ...Object.fromEntries(['minProperties', 'maxProperties'].map((name) => [name, count])),
    ...Object.fromEntries(['minimum', 'maximum', 'multipleOf'].map((name) => [name, { type: 'number' }])),
    ...Object.fromEntries(['pattern', 'format', '$ref', '$id', '$schema'].map((name) => [name, { type: 'string' }])),
    uniqueItems: { type: 'boolean' },
  },
}
