import assert from 'node:assert'
import test from 'node:test'
import { slug } from '../src/slug.js'

test('lower case', () => assert.equal(slug('Two Words '), 'two-words'))
test('no title', () => assert.throws(() => slug(' '), { message: 'A title is missing' }))
