import assert from 'node:assert/strict'
import test from 'node:test'
import { depthOf, type Tree, widest } from '../src/depth-of.ts'

const chain = (length: number): Tree => (length === 1 ? { children: [] } : { children: [chain(length - 1)] })

test('chains', () => {
  for (const length of [1, 2, 5, 100]) assert.equal(depthOf(chain(length)), length)
})
test('the order of the children does not matter', () => {
  assert.equal(depthOf({ children: [chain(4), chain(2)] }), 5)
  assert.equal(depthOf({ children: [chain(2), chain(4)] }), 5)
})
test('widths', () => {
  assert.equal(widest(chain(7)), 1)
  assert.equal(widest({ children: [{ children: [chain(1), chain(1)] }, { children: [chain(2)] }] }), 3)
})
