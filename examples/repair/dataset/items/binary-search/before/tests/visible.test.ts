import assert from 'node:assert/strict'
import test from 'node:test'
import { indexOfSorted } from '../src/index-of-sorted.ts'

test('finds the middle', () => {
  assert.equal(indexOfSorted([1, 3, 5], 3), 1)
})
test('finds both ends', () => {
  assert.equal(indexOfSorted([1, 3, 5], 1), 0)
  assert.equal(indexOfSorted([1, 3, 5], 5), 2)
})
test('says when there is none', () => {
  assert.equal(indexOfSorted([1, 3, 5], 4), -1)
})
