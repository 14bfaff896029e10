import assert from 'node:assert/strict'
import test from 'node:test'
import { parseRows } from '../src/parse-rows.ts'

test('rows and fields', () => {
  assert.deepEqual(parseRows('a,b\nc,d\n'), [['a', 'b'], ['c', 'd']])
})
test('no line break at the end', () => {
  assert.deepEqual(parseRows('a\nb'), [['a'], ['b']])
})
test('quoted fields', () => {
  assert.deepEqual(parseRows('"a, b","say ""hi"""\n'), [['a, b', 'say "hi"']])
})
