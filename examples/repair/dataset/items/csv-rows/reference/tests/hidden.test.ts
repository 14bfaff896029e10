import assert from 'node:assert/strict'
import test from 'node:test'
import { parseRows } from '../src/parse-rows.ts'

test('an empty field at the end', () => {
  assert.deepEqual(parseRows('a,'), [['a', '']])
  assert.deepEqual(parseRows('a,\n'), [['a', '']])
})
test('no text, no rows', () => {
  assert.deepEqual(parseRows(''), [])
})
test('a line break at the end makes no row', () => {
  assert.deepEqual(parseRows('a,b\n'), [['a', 'b']])
})
test('a line break in quotes', () => {
  assert.deepEqual(parseRows('"a\nb",c'), [['a\nb', 'c']])
})
