import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugify } from '../src/slugify.js'

test('writes lower case', () => assert.equal(slugify('Hello'), 'hello'))
test('joins words', () => assert.equal(slugify('One two three'), 'one-two-three'))
