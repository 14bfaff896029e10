import assert from 'node:assert/strict'
import test from 'node:test'
import { mapInOrder } from '../src/map-in-order.js'

const later = (ms, value) => new Promise((resolve) => setTimeout(() => resolve(value), ms))

test('work that takes equally long', async () => {
  assert.deepEqual(await mapInOrder([1, 2, 3], async (n) => n * 2), [2, 4, 6])
})
test('the first item takes longest', async () => {
  assert.deepEqual(await mapInOrder([20, 10, 1], (ms) => later(ms, ms)), [20, 10, 1])
})
