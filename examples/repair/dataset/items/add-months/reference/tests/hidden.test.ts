import assert from 'node:assert/strict'
import test from 'node:test'
import { addMonths } from '../src/add-months.ts'

test('ends of months', () => {
  assert.equal(addMonths('2023-01-31', 1), '2023-02-28')
  assert.equal(addMonths('2024-03-31', 1), '2024-04-30')
  assert.equal(addMonths('2024-05-31', -3), '2024-02-29')
})
test('over the end of a year', () => {
  assert.equal(addMonths('2023-11-30', 3), '2024-02-29')
  assert.equal(addMonths('2024-01-10', -1), '2023-12-10')
})
test('nothing to add', () => {
  assert.equal(addMonths('2024-12-31', 0), '2024-12-31')
})
