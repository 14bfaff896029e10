import assert from 'node:assert/strict'
import test from 'node:test'
import { collisions, overlap } from '../src/overlap.ts'

test('the order does not matter', () => {
  assert.equal(overlap({ start: 120, end: 180 }, { start: 60, end: 120 }), false)
  assert.equal(overlap({ start: 90, end: 150 }, { start: 60, end: 120 }), true)
})
test('one inside the other', () => {
  assert.equal(overlap({ start: 0, end: 100 }, { start: 20, end: 30 }), true)
  assert.equal(overlap({ start: 20, end: 30 }, { start: 0, end: 100 }), true)
})
test('a full day', () => {
  const day = [{ start: 0, end: 60 }, { start: 60, end: 90 }, { start: 100, end: 130 }]
  assert.deepEqual(collisions(day, { start: 90, end: 100 }), [])
  assert.deepEqual(collisions(day, { start: 50, end: 61 }), day.slice(0, 2))
})
