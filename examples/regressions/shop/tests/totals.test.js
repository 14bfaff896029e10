import assert from 'node:assert/strict'
import { test } from 'node:test'
import { round } from '../src/totals.js'

test('rounds half up', () => assert.equal(round(2.5), 3))
