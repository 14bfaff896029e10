import assert from 'node:assert/strict'
import test from 'node:test'
import { median } from '../src/median.js'

test('the list stays as it is', () => {
  const values = [3, 1, 2]
  median(values)
  assert.deepEqual(values, [3, 1, 2])
})
test('a frozen list', () => {
  assert.equal(median(Object.freeze([10, 9, 8, 1])), 8.5)
})
test('negative numbers', () => {
  assert.equal(median([-10, -9, 5]), -9)
})
test('no values', () => {
  assert.ok(Number.isNaN(median([])))
})
