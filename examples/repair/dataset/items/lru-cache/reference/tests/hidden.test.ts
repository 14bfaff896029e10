import assert from 'node:assert/strict'
import test from 'node:test'
import { createCache } from '../src/create-cache.ts'

test('order of use', () => {
  const cache = createCache<number>(3)
  for (const key of ['a', 'b', 'c']) cache.set(key, 1)
  cache.get('a')
  cache.set('b', 2)
  assert.deepEqual(cache.keys(), ['c', 'a', 'b'])
})
test('reading what is not there changes nothing', () => {
  const cache = createCache<number>(2)
  cache.set('a', 1)
  assert.equal(cache.get('x'), undefined)
  assert.deepEqual(cache.keys(), ['a'])
})
test('undefined is a value', () => {
  const cache = createCache<undefined>(2)
  cache.set('a', undefined)
  cache.set('b', undefined)
  cache.get('a')
  cache.set('c', undefined)
  assert.deepEqual(cache.keys(), ['a', 'c'])
})
