import assert from 'node:assert/strict'
import test from 'node:test'
import { createExpiring } from '../src/create-expiring.js'

test('setting again starts anew', () => {
  let now = 0
  const cache = createExpiring(10, () => now)
  cache.set('a', 1)
  now = 9
  cache.set('a', 2)
  now = 18
  assert.equal(cache.get('a'), 2)
  now = 19
  assert.equal(cache.get('a'), undefined)
})
test('what has expired is removed', () => {
  let now = 5
  const cache = createExpiring(1, () => now)
  cache.set('a', 1)
  assert.equal(cache.size, 1)
  now = 50
  cache.get('a')
  assert.equal(cache.size, 0)
})
test('any value can be kept', () => {
  const cache = createExpiring(10, () => 0)
  cache.set('zero', 0)
  cache.set('nothing', null)
  assert.equal(cache.get('zero'), 0)
  assert.equal(cache.get('nothing'), null)
  assert.equal(cache.get('other'), undefined)
})
