import assert from 'node:assert/strict'
import test from 'node:test'
import { depthOf, widest } from '../src/depth-of.ts'

const leaf = { children: [] }

test('a leaf', () => {
  assert.equal(depthOf(leaf), 1)
})
test('the longest way', () => {
  assert.equal(depthOf({ children: [leaf, { children: [leaf] }] }), 3)
})
test('the widest level', () => {
  assert.equal(widest({ children: [leaf, leaf, leaf] }), 3)
})
