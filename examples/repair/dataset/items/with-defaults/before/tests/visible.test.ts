import assert from 'node:assert/strict'
import test from 'node:test'
import { withDefaults } from '../src/with-defaults.ts'

test('fills in what is missing', () => {
  assert.deepEqual(withDefaults({ a: 1, b: 2 }, { b: 3 }), { a: 1, b: 3 })
})
test('a second call starts from the same defaults', () => {
  const defaults = { port: 80, host: 'localhost' }
  withDefaults(defaults, { port: 8080 })
  assert.deepEqual(withDefaults(defaults, {}), { port: 80, host: 'localhost' })
})
