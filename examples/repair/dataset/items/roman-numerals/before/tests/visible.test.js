import assert from 'node:assert/strict'
import test from 'node:test'
import { fromRoman } from '../src/from-roman.js'

test('adding up', () => {
  assert.equal(fromRoman('VI'), 6)
  assert.equal(fromRoman('III'), 3)
})
test('taking away', () => {
  assert.equal(fromRoman('IV'), 4)
  assert.equal(fromRoman('XC'), 90)
})
