import assert from 'node:assert'
import test from 'node:test'
import { Cart, total } from '../src/cart.js'

test('adds up', () => {
  assert.equal(total([1, 2, 3]), 6)
  assert.equal(total([]), 0)
})
test('an empty cart', () => assert.deepEqual({ ...new Cart() }, { _sum: 0 }))
test('no price', () => assert.throws(() => total(['x']), { message: 'A price must be a number' }))
