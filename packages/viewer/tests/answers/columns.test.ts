import { gzipSync } from 'node:zlib'
import { anItem } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromColumns, toColumns } from '../../src/answers/report-data.js'

test('columns become the same values again', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)))
  fc.assert(
    fc.property(fc.array(json), (values) => {
      expect(fromColumns(JSON.parse(JSON.stringify(toColumns(values))))).toEqual(values)
    }),
  )
})

test.each([
  [[]],
  [[null]],
  [['', '', '']],
  [[0, '0', false, null]],
  [[[], {}, [], null, {}]],
  [[JSON.parse('{"__proto__":1,"constructor":{"a":null}}')]],
  [[{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }]],
])('%j', (values) => {
  expect(JSON.stringify(fromColumns(JSON.parse(JSON.stringify(toColumns(values)))))).toBe(JSON.stringify(values))
})

test('stored trials take less than by rows', () => {
  const items = JSON.parse(
    JSON.stringify(
      Array.from({ length: 300 }, (_, at) => anItem({ itemId: `item-${at}`, durationMs: (at * 7919) % 1000 })),
    ),
  )
  const size = (value: unknown) => gzipSync(JSON.stringify(value)).length
  expect(size(toColumns(items))).toBeLessThan(0.75 * size(items))
})
