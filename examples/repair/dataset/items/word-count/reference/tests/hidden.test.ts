import assert from 'node:assert/strict'
import test from 'node:test'
import { countWords } from '../src/count-words.ts'

test('line breaks and tabs', () => {
  assert.deepEqual(countWords('a\nb\tb\r\nc'), [['b', 2], ['a', 1], ['c', 1]])
})
test('space around the text', () => {
  assert.deepEqual(countWords('  a  '), [['a', 1]])
})
test('no words', () => {
  assert.deepEqual(countWords(''), [])
  assert.deepEqual(countWords(' \n'), [])
})
