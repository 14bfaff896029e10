import assert from 'node:assert/strict'
import test from 'node:test'
import { indexOfSorted } from '../src/index-of-sorted.ts'

test('finds every value of longer lists', () => {
  for (let length = 1; length < 40; length++) {
    const values = Array.from({ length }, (_, index) => index * 3)
    for (const [index, value] of values.entries()) assert.equal(indexOfSorted(values, value), index)
  }
})
test('finds nothing between the values', () => {
  for (const wanted of [-1, 1, 4, 100]) assert.equal(indexOfSorted([0, 3, 6, 9], wanted), -1)
})
test('an empty list', () => {
  assert.equal(indexOfSorted([], 1), -1)
})
