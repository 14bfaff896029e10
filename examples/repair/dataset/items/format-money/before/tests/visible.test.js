import assert from 'node:assert/strict'
import test from 'node:test'
import { formatCents } from '../src/format-cents.js'

test('positive amounts', () => {
  assert.equal(formatCents(1234), '12.34')
  assert.equal(formatCents(5), '0.05')
})
test('negative amounts', () => {
  assert.equal(formatCents(-1234), '-12.34')
  assert.equal(formatCents(-200), '-2.00')
})
