import assert from 'node:assert/strict'
import test from 'node:test'
import { memoize } from '../src/memoize.js'

test('works once for the same argument', () => {
  let calls = 0
  const square = memoize((n) => {
    calls++
    return n * n
  })
  assert.deepEqual([square(3), square(3)], [9, 9])
  assert.equal(calls, 1)
})
test('looks at the second argument', () => {
  const add = memoize((a, b) => a + b)
  assert.deepEqual([add(1, 1), add(1, 2)], [2, 3])
})
