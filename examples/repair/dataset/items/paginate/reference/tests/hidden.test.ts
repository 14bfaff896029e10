import assert from 'node:assert/strict'
import test from 'node:test'
import { paginate } from '../src/paginate.ts'

test('counts the pages', () => {
  assert.equal(paginate([1, 2, 3], 1, 2).pages, 2)
  assert.equal(paginate([1, 2, 3, 4], 1, 2).pages, 2)
  assert.equal(paginate([1], 1, 10).pages, 1)
  assert.equal(paginate([1, 2, 3, 4], 1, 3).pages, 2)
})
test('an empty list has one empty page', () => {
  assert.deepEqual(paginate([], 1, 3), { items: [], page: 1, pages: 1 })
})
test('pages outside the list', () => {
  assert.deepEqual(paginate([1, 2, 3], 9, 2).items, [3])
  assert.deepEqual(paginate([1, 2, 3], 0, 2).items, [1, 2])
})
