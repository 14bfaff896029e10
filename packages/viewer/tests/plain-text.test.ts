import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText } from '../page/plain-text.js'

test.each([
  ['\u001b[31m✗\u001b[39m orders > total', '✗ orders > total'],
  ['\u001b[1;38;5;196mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007after', 'after'],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b[2K\u001b[1Aline', 'line'],
  ['\u009b31mred', 'red'],
  ['\u001bcreset', 'reset'],
  ['[31m is text', '[31m is text'],
])('%j is %j', (text, plain) => {
  expect(plainText(text)).toBe(plain)
})

test('text without control characters stays as it is, and nothing is left that starts a sequence', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!/[\u001b\u009b]/.test(text)) expect(plainText(text)).toBe(text)
    }),
  )
  const pieces = fc.array(fc.constantFrom('\u001b[', '\u001b]', '1', ';', 'm', 'x', '\u0007', ' '))
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(plainText(parts.join(''))).not.toMatch(/\u001b\[[0-9;]*m/)
    }),
  )
})
