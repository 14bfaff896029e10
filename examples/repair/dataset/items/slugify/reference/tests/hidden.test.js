import assert from 'node:assert/strict'
import test from 'node:test'
import { slugify } from '../src/slugify.js'

test('dashes only between words', () => {
  assert.equal(slugify('a  b   c'), 'a-b-c')
  assert.equal(slugify('--a--'), 'a')
  assert.equal(slugify('C++ & C#'), 'c-c')
})
test('numbers stay', () => {
  assert.equal(slugify('Top 10 of 2024'), 'top-10-of-2024')
})
test('nothing is left of signs', () => {
  assert.equal(slugify('!?'), '')
})
