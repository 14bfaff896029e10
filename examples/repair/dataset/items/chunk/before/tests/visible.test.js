import assert from 'node:assert/strict'
import test from 'node:test'
import { chunk } from '../src/chunk.js'

test('pieces of equal size', () => {
  assert.deepEqual(chunk([1, 2, 3, 4], 2), [[1, 2], [3, 4]])
})
test('a shorter last piece', () => {
  assert.deepEqual(chunk(['a', 'b', 'c'], 2), [['a', 'b'], ['c']])
})
test('a size below 1 is refused', () => {
  assert.throws(() => chunk([1], 0), RangeError)
})
