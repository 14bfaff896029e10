import assert from 'node:assert/strict'
import test from 'node:test'
import { groupBy } from '../src/group-by.js'

test('by first letter', () => {
  assert.deepEqual(groupBy(['ant', 'bee', 'ape'], (word) => word[0]), { a: ['ant', 'ape'], b: ['bee'] })
})
test('the word "constructor" is a name too', () => {
  assert.deepEqual(groupBy(['constructor', 'x', 'x'], (word) => word), { constructor: ['constructor'], x: ['x', 'x'] })
})
