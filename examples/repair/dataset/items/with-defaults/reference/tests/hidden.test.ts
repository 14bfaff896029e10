import assert from 'node:assert/strict'
import test from 'node:test'
import { withDefaults } from '../src/with-defaults.ts'

test('nested settings', () => {
  const defaults = { log: { level: 'info', colour: true } }
  assert.deepEqual(withDefaults(defaults, { log: { level: 'debug' } }), { log: { level: 'debug', colour: true } })
  assert.deepEqual(defaults, { log: { level: 'info', colour: true } })
})
test('undefined counts as not given, null does not', () => {
  assert.deepEqual(withDefaults({ a: 1, b: 1 }, { a: undefined, b: null }), { a: 1, b: null })
})
test('what is given stays as it is', () => {
  const given = { a: { b: 1 } }
  withDefaults({ a: { c: 2 } }, given)
  assert.deepEqual(given, { a: { b: 1 } })
})
test('lists are replaced', () => {
  assert.deepEqual(withDefaults({ list: [1, 2] }, { list: [3] }), { list: [3] })
})
