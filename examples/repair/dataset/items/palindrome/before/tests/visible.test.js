import assert from 'node:assert/strict'
import test from 'node:test'
import { isPalindrome } from '../src/is-palindrome.js'

test('a sentence', () => {
  assert.equal(isPalindrome('never odd or even'), true)
  assert.equal(isPalindrome('never even or odd'), false)
})
test('capital letters count', () => {
  assert.equal(isPalindrome('Never odd or even'), true)
  assert.equal(isPalindrome('ABca'), false)
})
