import assert from 'node:assert/strict'
import test from 'node:test'
import { flatten } from '../src/flatten.ts'

test('each level', () => {
  const list = [1, [2, [3, [4, [5]]]]]
  for (const depth of [0, 1, 2, 3, 4, 5]) assert.deepEqual(flatten(list, depth), list.flat(depth))
})
test('everything', () => {
  assert.deepEqual(flatten([[[[1]]], [[2]], 3], Number.POSITIVE_INFINITY), [1, 2, 3])
})
test('empty lists disappear', () => {
  assert.deepEqual(flatten([[], [1, []]], 1), [1, []])
})
