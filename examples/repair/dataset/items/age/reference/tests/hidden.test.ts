import assert from 'node:assert/strict'
import test from 'node:test'
import { ageOn } from '../src/age-on.ts'

const at = (text: string): Date => new Date(`${text}T00:00:00Z`)

test('every day of the month of the birthday', () => {
  for (let day = 1; day <= 30; day++) {
    const text = `2021-06-${String(day).padStart(2, '0')}`
    assert.equal(ageOn(at('2000-06-20'), at(text)), day < 20 ? 20 : 21, text)
  }
})
test('earlier and later months', () => {
  assert.equal(ageOn(at('2000-06-20'), at('2021-05-31')), 20)
  assert.equal(ageOn(at('2000-06-20'), at('2021-12-01')), 21)
})
test('the day of birth', () => {
  assert.equal(ageOn(at('2000-06-20'), at('2000-06-20')), 0)
})
