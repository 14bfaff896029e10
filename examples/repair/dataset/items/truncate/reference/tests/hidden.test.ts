import assert from 'node:assert/strict'
import test from 'node:test'
import { truncate } from '../src/truncate.ts'

test('no half characters', () => {
  const text = 'a😀b😃c'
  for (let length = 1; length <= 6; length++) assert.ok(!/\p{Surrogate}/u.test(truncate(text, length)))
})
test('the length is that of what is seen', () => {
  assert.equal(truncate('😀bcdef', 3), '😀b…')
  assert.equal([...truncate('x'.repeat(50), 20)].length, 20)
})
test('the border', () => {
  assert.equal(truncate('abc', 3), 'abc')
  assert.equal(truncate('abcd', 3), 'ab…')
  assert.equal(truncate('', 3), '')
})
