import assert from 'node:assert/strict'
import test from 'node:test'
import { createCache } from '../src/create-cache.ts'

test('forgets the oldest entry', () => {
  const cache = createCache<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('c', 3)
  assert.deepEqual(cache.keys(), ['b', 'c'])
})
test('what was read stays', () => {
  const cache = createCache<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.equal(cache.get('a'), 1)
  assert.equal(cache.get('b'), undefined)
})
