import assert from 'node:assert/strict'
import test from 'node:test'
import { flatten } from '../src/flatten.ts'

test('one level', () => {
  assert.deepEqual(flatten([1, [2, [3]]], 1), [1, 2, [3]])
})
test('nothing to do', () => {
  assert.deepEqual(flatten([1, 2], 5), [1, 2])
})
