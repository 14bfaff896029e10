import assert from 'node:assert/strict'
import test from 'node:test'
import { slugify } from '../src/slugify.js'

test('two words', () => {
  assert.equal(slugify('Hello, World'), 'hello-world')
})
test('many words', () => {
  assert.equal(slugify('  The quick -- brown fox! '), 'the-quick-brown-fox')
})
test('accents', () => {
  assert.equal(slugify('Crème brûlée'), 'creme-brulee')
})
