import type { Json, JsonObject } from '@jurist/core'
import { describe, expect, test } from 'vitest'
import { inputProblems, uncheckedIn } from '../../src/mcp/tools.js'

const order = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 2, maxLength: 5, description: 'The number.' },
    count: { type: ['integer', 'null'], minimum: 1, maximum: 9 },
    kind: { enum: ['new', 'used', { other: 1 }] },
    fixed: { const: 7 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    more: { type: 'object', additionalProperties: { type: 'number' } },
  },
  required: ['id'],
  additionalProperties: false,
} satisfies JsonObject

describe('an input', () => {
  test.each<Json>([
    { id: 'A1' },
    { id: '😀😀😀😀😀' },
    { id: 'A1', count: null, kind: { other: 1 }, fixed: 7, tags: ['x'], more: { a: 1.5 } },
  ])('%j fits', (input) => {
    expect(inputProblems(order, input)).toEqual([])
  })

  test.each<readonly [Json, readonly string[]]>([
    [[], ['input must be object']],
    [null, ['input must be object']],
    [{}, ['input.id is missing']],
    [{ id: 'A' }, ['input.id must have a length of at least 2']],
    [{ id: 'A12345' }, ['input.id must have a length of at most 5']],
    [{ id: 'A1', count: 1.5 }, ['input.count must be integer or null']],
    [{ id: 'A1', count: 0 }, ['input.count must be at least 1']],
    [
      { id: 'A1', count: 10, kind: 'old' },
      ['input.count must be at most 9', 'input.kind must be one of ["new","used",{"other":1}]'],
    ],
    [{ id: 'A1', fixed: '7' }, ['input.fixed must be 7']],
    [{ id: 'A1', tags: [] }, ['input.tags must have a number of items of at least 1']],
    [{ id: 'A1', tags: ['x', 'y', 'z'] }, ['input.tags must have a number of items of at most 2']],
    [{ id: 'A1', tags: ['x', 1] }, ['input.tags[1] must be string']],
    [{ id: 'A1', more: { a: '1' } }, ['input.more.a must be number']],
    [{ id: 'A1', toString: 1 }, ['input.toString is not known']],
  ])('%j does not', (input, problems) => {
    expect(inputProblems(order, input)).toEqual(problems)
  })
})

describe('a schema', () => {
  test('is checked in full', () => {
    expect(uncheckedIn(order)).toBeUndefined()
  })

  test.each<readonly [JsonObject, string]>([
    [{ oneOf: [] }, '"oneOf"'],
    [{ properties: { a: { pattern: '^x' } } }, '"pattern" at /a'],
    [{ items: { items: { $ref: '#' } } }, '"$ref" at /items/items'],
    [{ additionalProperties: { not: {} } }, '"not" at /additionalProperties'],
    [{ properties: { a: 'string' } }, '/a, which is not an object'],
    [{ properties: [] }, '/properties, which is not an object'],
  ])('%j is not', (schema, unchecked) => {
    expect(uncheckedIn(schema)).toBe(unchecked)
  })
})
