import assert from 'node:assert/strict'
import test from 'node:test'
import { formatCents } from '../src/format-cents.js'

test('less than one, below zero', () => {
  assert.equal(formatCents(-5), '-0.05')
  assert.equal(formatCents(-99), '-0.99')
})
test('zero has no sign', () => {
  assert.equal(formatCents(0), '0.00')
})
test('every amount around zero', () => {
  for (let cents = -350; cents <= 350; cents++) {
    assert.equal(formatCents(cents), (cents / 100).toFixed(2), String(cents))
  }
})
