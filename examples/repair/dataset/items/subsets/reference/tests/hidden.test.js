import assert from 'node:assert/strict'
import test from 'node:test'
import { subsets } from '../src/subsets.js'

test('three items', () => {
  assert.deepEqual(subsets([1, 2, 3]), [[], [1], [1, 2], [1, 2, 3], [1, 3], [2], [2, 3], [3]])
})
test('as many as there are', () => {
  assert.equal(subsets([1, 2, 3, 4, 5, 6]).length, 64)
})
test('each list is its own', () => {
  const [first, second] = subsets([1, 2])
  first.push('changed')
  assert.deepEqual(second, [1])
})
