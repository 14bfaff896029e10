import assert from 'node:assert/strict'
import test from 'node:test'
import { chunk } from '../src/chunk.js'

test('an empty list has no pieces', () => {
  assert.deepEqual(chunk([], 3), [])
})
test('a size above the length', () => {
  assert.deepEqual(chunk([1, 2], 5), [[1, 2]])
})
test('five in threes', () => {
  assert.deepEqual(chunk([1, 2, 3, 4, 5], 3), [[1, 2, 3], [4, 5]])
})
test('pieces of one', () => {
  assert.deepEqual(chunk([1, 2, 3], 1), [[1], [2], [3]])
})
test('the list stays as it is', () => {
  const list = [1, 2, 3]
  chunk(list, 2)
  assert.deepEqual(list, [1, 2, 3])
})
