import assert from 'node:assert/strict'
import test from 'node:test'
import { parseQuery } from '../src/parse-query.js'

test('names and values', () => {
  assert.deepEqual(parseQuery('?a=1&b=two+words'), { a: '1', b: 'two words' })
})
test('a value with an equals sign', () => {
  assert.deepEqual(parseQuery('token=abc=='), { token: 'abc==' })
})
test('a repeated name', () => {
  assert.deepEqual(parseQuery('a=1&a=2'), { a: ['1', '2'] })
})
