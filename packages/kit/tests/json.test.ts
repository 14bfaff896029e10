import { jsonLines, parseLines, parseObject, parseOrUndefined } from '@jurist/kit/json'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('a string that is not JSON has no value', () => {
  expect(parseOrUndefined('null')).toBeNull()
  for (const text of ['', ' ', '{', 'undefined', "{'a': 1}"]) expect(parseOrUndefined(text)).toBeUndefined()
})

test('only an object is an object', () => {
  expect(parseObject('{"a":[1]}')).toEqual({ a: [1] })
  for (const text of ['[1]', 'null', '"a"', '1', '{']) expect(parseObject(text)).toBeUndefined()
})

test('lines give back the values that were written', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      const lines = jsonLines(values)
      expect(parseLines(lines)).toEqual(JSON.parse(JSON.stringify(values)))
      expect(lines.split('\n')).toHaveLength(values.length + 1)
    }),
  )
})

test('blank lines are left out, damaged ones are not', () => {
  expect(parseLines('{"a":1}\r\n\n  \n{"b"\n2')).toEqual([{ a: 1 }, undefined, 2])
})
