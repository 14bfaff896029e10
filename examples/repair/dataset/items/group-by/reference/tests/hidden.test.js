import assert from 'node:assert/strict'
import test from 'node:test'
import { groupBy } from '../src/group-by.js'

test('all names of objects', () => {
  for (const name of ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']) {
    assert.deepEqual(groupBy([1, 2], () => name)[name], [1, 2])
  }
})
test('several groups of several items', () => {
  const sides = groupBy([1, -1, 2, -2, 0], (n) => Math.sign(n))
  assert.deepEqual({ ...sides }, { 1: [1, 2], '-1': [-1, -2], 0: [0] })
})
test('nothing', () => {
  assert.deepEqual(Object.keys(groupBy([], String)), [])
})
