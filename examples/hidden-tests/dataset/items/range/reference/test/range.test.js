import assert from 'node:assert/strict'
import { test } from 'node:test'
import { range } from '../src/range.js'

test('is empty from 2 to 1', () => assert.deepEqual(range(2, 1), []))
test('includes the end', () => assert.deepEqual(range(1, 3), [1, 2, 3]))
test('includes the end of other ranges', () => assert.deepEqual(range(4, 6), [4, 5, 6]))
test('of one number', () => assert.deepEqual(range(5, 5), [5]))
