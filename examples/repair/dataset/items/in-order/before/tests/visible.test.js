import assert from 'node:assert/strict'
import test from 'node:test'
import { mapInOrder } from '../src/map-in-order.js'

/** Resolves after this many turns of the microtask queue: an order that no clock decides. */
const later = async (turns, value) => {
  for (let turn = 0; turn < turns; turn++) await undefined
  return value
}

test('work that takes equally long', async () => {
  assert.deepEqual(await mapInOrder([1, 2, 3], async (n) => n * 2), [2, 4, 6])
})
test('the first item takes longest', async () => {
  assert.deepEqual(await mapInOrder([20, 10, 1], (turns) => later(turns, turns)), [20, 10, 1])
})
