import assert from 'node:assert/strict'
import test from 'node:test'
import { overlap } from '../src/overlap.ts'

test('bookings that share time', () => {
  assert.equal(overlap({ start: 60, end: 120 }, { start: 90, end: 150 }), true)
})
test('bookings far apart', () => {
  assert.equal(overlap({ start: 60, end: 120 }, { start: 300, end: 360 }), false)
})
test('one after the other', () => {
  assert.equal(overlap({ start: 60, end: 120 }, { start: 120, end: 180 }), false)
})
