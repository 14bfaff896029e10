import assert from 'node:assert/strict'
import test from 'node:test'
import { daysInMonth, isLeapYear } from '../src/days-in-month.js'

test('every month of four centuries', () => {
  for (let year = 1800; year < 2200; year++)
    for (let month = 1; month <= 12; month++)
      assert.equal(daysInMonth(year, month), new Date(Date.UTC(year, month, 0)).getUTCDate(), `${year}-${month}`)
})
test('leap years', () => {
  assert.deepEqual([1600, 1700, 1996, 2001, 2100, 2400].filter(isLeapYear), [1600, 1996, 2400])
})
