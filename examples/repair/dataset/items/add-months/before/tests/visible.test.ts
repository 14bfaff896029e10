import assert from 'node:assert/strict'
import test from 'node:test'
import { addMonths } from '../src/add-months.ts'

test('a day that every month has', () => {
  assert.equal(addMonths('2024-01-15', 1), '2024-02-15')
})
test('the end of January in a leap year', () => {
  assert.equal(addMonths('2024-01-31', 1), '2024-02-29')
})
