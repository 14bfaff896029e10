import assert from 'node:assert/strict'
import test from 'node:test'
import { ageOn } from '../src/age-on.ts'

const birth = new Date('1990-06-15T00:00:00Z')

test('the day before the birthday', () => {
  assert.equal(ageOn(birth, new Date('2020-06-14T12:00:00Z')), 29)
})
test('the birthday itself', () => {
  assert.equal(ageOn(birth, new Date('2020-06-15T00:00:00Z')), 30)
})
test('the month after', () => {
  assert.equal(ageOn(birth, new Date('2020-07-01T00:00:00Z')), 30)
})
