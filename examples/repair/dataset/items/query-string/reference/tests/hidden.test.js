import assert from 'node:assert/strict'
import test from 'node:test'
import { parseQuery } from '../src/parse-query.js'

test('equals signs anywhere', () => {
  assert.deepEqual(parseQuery('filter=a=b=c&x=1'), { filter: 'a=b=c', x: '1' })
})
test('names without a value', () => {
  assert.deepEqual(parseQuery('flag&x='), { flag: '', x: '' })
})
test('encoded text', () => {
  assert.deepEqual(parseQuery('a%3Db=%C3%A4'), { 'a=b': 'ä' })
})
test('nothing', () => {
  assert.deepEqual(parseQuery(''), {})
})
