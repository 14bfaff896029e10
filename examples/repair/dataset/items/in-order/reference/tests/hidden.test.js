import assert from 'node:assert/strict'
import test from 'node:test'
import { mapInOrder } from '../src/map-in-order.js'

test('keeps the order of the items', async () => {
  const waits = [15, 1, 10, 5]
  const work = (ms) => new Promise((resolve) => setTimeout(() => resolve(`${ms}`), ms))
  assert.deepEqual(await mapInOrder(waits, work), ['15', '1', '10', '5'])
})
test('starts everything before anything has finished', async () => {
  let started = 0
  const open = []
  const all = mapInOrder([1, 2, 3], (item) => {
    started++
    return new Promise((resolve) => open.push(() => resolve(item)))
  })
  await new Promise((resolve) => setTimeout(resolve, 5))
  assert.equal(started, 3)
  for (const finish of open.reverse()) finish()
  assert.deepEqual(await all, [1, 2, 3])
})
test('rejects with the first error', async () => {
  await assert.rejects(mapInOrder([1], () => Promise.reject(new Error('no'))), /no/)
})
