import assert from 'node:assert/strict'
import test from 'node:test'
import { isPalindrome } from '../src/is-palindrome.js'

test('accents do not matter', () => {
  assert.equal(isPalindrome('Ésope reste ici et se repose'), true)
})
test('other scripts', () => {
  assert.equal(isPalindrome('А роза упала на лапу Азора'), true)
  assert.equal(isPalindrome('роза'), false)
})
test('digits', () => {
  assert.equal(isPalindrome('12-21'), true)
  assert.equal(isPalindrome('123'), false)
})
test('nothing to read', () => {
  assert.equal(isPalindrome('?!'), true)
})
