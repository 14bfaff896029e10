import assert from 'node:assert/strict'
import test from 'node:test'
import { paginate } from '../src/paginate.ts'

test('a full page', () => {
  assert.deepEqual(paginate([1, 2, 3, 4], 2, 2), { items: [3, 4], page: 2, pages: 2 })
})
test('the last page may be shorter', () => {
  assert.deepEqual(paginate([1, 2, 3, 4, 5], 3, 2), { items: [5], page: 3, pages: 3 })
})
