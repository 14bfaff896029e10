import assert from 'node:assert/strict'
import test from 'node:test'
import { daysInMonth } from '../src/days-in-month.js'

test('long and short months', () => {
  assert.equal(daysInMonth(2023, 1), 31)
  assert.equal(daysInMonth(2023, 4), 30)
})
test('February of a common year', () => {
  assert.equal(daysInMonth(2023, 2), 28)
  assert.equal(daysInMonth(1900, 2), 28)
})
test('February of a leap year', () => {
  assert.equal(daysInMonth(2024, 2), 29)
  assert.equal(daysInMonth(2000, 2), 29)
})
