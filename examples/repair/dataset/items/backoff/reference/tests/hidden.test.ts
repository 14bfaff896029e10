import assert from 'node:assert/strict'
import test from 'node:test'
import { backoff } from '../src/backoff.ts'

test('options', () => {
  assert.equal(backoff(1, { baseMs: 7 }), 7)
  assert.equal(backoff(3, { baseMs: 10, maximumMs: 25 }), 25)
  assert.equal(backoff(1, { baseMs: 50, maximumMs: 10 }), 10)
})
test('never falls', () => {
  let last = 0
  for (let attempt = 1; attempt < 60; attempt++) {
    const wait = backoff(attempt)
    assert.ok(wait >= last && wait <= 30_000)
    last = wait
  }
})
