import assert from 'node:assert/strict'
import test from 'node:test'
import { backoff } from '../src/backoff.ts'

test('the first wait is the base', () => {
  assert.equal(backoff(1), 100)
})
test('each wait is twice the one before', () => {
  assert.deepEqual([2, 3, 4].map((attempt) => backoff(attempt)), [200, 400, 800])
})
test('there is a longest wait', () => {
  assert.equal(backoff(20), 30_000)
})
