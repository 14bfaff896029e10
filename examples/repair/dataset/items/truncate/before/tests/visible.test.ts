import assert from 'node:assert/strict'
import test from 'node:test'
import { truncate } from '../src/truncate.ts'

test('a short text stays', () => {
  assert.equal(truncate('hello', 5), 'hello')
})
test('a long text is cut', () => {
  assert.equal(truncate('hello world', 6), 'hello…')
})
test('emoji count as one', () => {
  assert.equal(truncate('😀😃😄😁', 4), '😀😃😄😁')
  assert.equal(truncate('😀😃😄😁', 3), '😀😃…')
})
