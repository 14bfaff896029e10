import assert from 'node:assert/strict'
import test from 'node:test'
import { subsets } from '../src/subsets.js'

test('no items', () => {
  assert.deepEqual(subsets([]), [[]])
})
test('two items', () => {
  assert.deepEqual(subsets(['a', 'b']), [[], ['a'], ['a', 'b'], ['b']])
})
