import assert from 'node:assert/strict'
import test from 'node:test'
import { fromRoman } from '../src/from-roman.js'

test('years', () => {
  assert.equal(fromRoman('MCMXCIV'), 1994)
  assert.equal(fromRoman('MMXXIV'), 2024)
  assert.equal(fromRoman('MDCCCLXXXVIII'), 1888)
})
test('single letters', () => {
  assert.equal(['I', 'V', 'X', 'L', 'C', 'D', 'M'].map(fromRoman).join(), '1,5,10,50,100,500,1000')
})
test('no letter', () => {
  assert.equal(fromRoman(''), 0)
})
