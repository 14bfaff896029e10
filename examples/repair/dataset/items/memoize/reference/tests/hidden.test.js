import assert from 'node:assert/strict'
import test from 'node:test'
import { memoize } from '../src/memoize.js'

test('tells 1 from "1" and the places apart', () => {
  const show = memoize((...given) => given.map((value) => typeof value).join())
  assert.equal(show(1), 'number')
  assert.equal(show('1'), 'string')
  const list = memoize((...given) => given.length)
  assert.deepEqual([list('a,b'), list('a', 'b'), list()], [1, 2, 0])
})
test('equal data is the same argument', () => {
  let calls = 0
  const size = memoize((value) => {
    calls++
    return Object.keys(value).length
  })
  assert.deepEqual([size({ a: 1 }), size({ a: 1 })], [1, 1])
  assert.equal(calls, 1)
})
test('remembers undefined', () => {
  let calls = 0
  const nothing = memoize(() => {
    calls++
  })
  nothing()
  nothing()
  assert.equal(calls, 1)
})
