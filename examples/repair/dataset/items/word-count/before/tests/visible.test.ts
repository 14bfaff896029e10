import assert from 'node:assert/strict'
import test from 'node:test'
import { countWords } from '../src/count-words.ts'

test('counts words', () => {
  assert.deepEqual(countWords('to be or not to be'), [['to', 2], ['be', 2], ['or', 1], ['not', 1]])
})
test('case does not matter', () => {
  assert.deepEqual(countWords('The the THE'), [['the', 3]])
})
test('two spaces', () => {
  assert.deepEqual(countWords('a  b a'), [['a', 2], ['b', 1]])
})
