import { arrayOf, described, hasFields, nonBlank, objectOf, option, rangeOf, recordOf } from '@jurist/core/internal'
import { describe, expect, test } from 'vitest'

const fields = { name: described(nonBlank, 'Its name.'), times: described(option.integer(1), 'How often.', 1) }
const call = objectOf('a call', fields, ['times'])
const range = rangeOf('{ min, max }', 'The least.', 'The most.')

describe('a rule of several values', () => {
  test.each([
    ['the needed field', { name: 'a' }, true],
    ['every field', { name: 'a', times: 2 }, true],
    ['an optional field that is undefined', { name: 'a', times: undefined }, true],
    ['an unknown field that is undefined', { name: 'a', other: undefined }, true],
    ['an unknown field', { name: 'a', other: 1 }, false],
    ['a needed field that is undefined', { name: undefined, times: 2 }, false],
    ['a field that breaks its rule', { name: 'a', times: 0 }, false],
    ['null where a field may be missing', { name: 'a', times: null }, false],
    ['an array', ['a'], false],
    [
      'an instance of a class',
      new (class {
        name = 'a'
      })(),
      false,
    ],
    ['null', null, false],
  ])('an object with %s', (_, value, holds) => {
    expect(call.holds(value)).toBe(holds)
  })

  test('hasFields does not look at other fields', () => {
    expect(hasFields({ name: 'a', other: 1 }, fields, ['times'])).toBe(true)
    expect(hasFields({ times: 1, other: 1 }, fields, ['times'])).toBe(false)
  })

  test.each([
    [arrayOf('names', nonBlank), [['a'], []], [[''], ['a', 1], 'a', { 0: 'a' }]],
    [arrayOf('names', nonBlank, 1), [['a']], [[]]],
    [recordOf('counts', option.integer(0)), [{ a: 0 }, {}], [{ a: -1 }, [0], null]],
    [recordOf('counts', option.integer(0), /^[a-z]+$/), [{ a: 0 }], [{ A: 0 }]],
    [
      range,
      [{ min: 0, max: 1 }],
      [{ min: 1, max: 1 }, { min: 0 }, { min: -1e308, max: 1e308 }, { min: 0, max: 1, step: 1 }],
    ],
  ])('$wants', ({ holds }, good, bad) => {
    for (const value of good) expect(holds(value), JSON.stringify(value)).toBe(true)
    for (const value of bad) expect(holds(value), JSON.stringify(value)).toBe(false)
  })

  test('its JSON Schema follows', () => {
    expect(arrayOf('calls', call, 1).schema).toEqual({
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1, description: 'Its name.' },
          times: { type: 'integer', minimum: 1, description: 'How often.', default: 1 },
        },
        required: ['name'],
        additionalProperties: false,
      },
    })
    expect(recordOf('numbers', option.rate).schema).toEqual({
      type: 'object',
      additionalProperties: { type: 'number', minimum: 0, maximum: 1 },
    })
    expect(objectOf('a function', { run: option.function }).schema).toBeUndefined()
  })
})
