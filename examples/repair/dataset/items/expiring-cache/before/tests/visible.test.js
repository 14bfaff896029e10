import assert from 'node:assert/strict'
import test from 'node:test'
import { createExpiring } from '../src/create-expiring.js'

test('remembers for a while', () => {
  let now = 0
  const cache = createExpiring(100, () => now)
  cache.set('a', 1)
  now = 99
  assert.equal(cache.get('a'), 1)
})
test('forgets when the time is over', () => {
  let now = 0
  const cache = createExpiring(100, () => now)
  cache.set('a', 1)
  now = 100
  assert.equal(cache.get('a'), undefined)
})
