import fc from 'fast-check'
import { expect, test } from 'vitest'
import { styledTexts } from '../../page/transcript/ansi-text.js'
import { markdownTokens, webAddress, withoutReferences } from '../../page/transcript/markdown.js'

test.each([
  ['\u001b[31m✗\u001b[39m totals', ['ansi-red:✗', ': totals']],
  ['\u001b[1;32mPASS\u001b[0m a', ['ansi-green ansi-bold:PASS', ': a']],
  ['\u001b[2mdim\u001b[22m x', ['ansi-dim:dim', ': x']],
  ['\u001b[38;5;196mred\u001b[m', ['ansi-red:red']],
  ['\u001b[38;2;20;200;30mgreen\u001b[0m', ['ansi-green:green']],
  ['\u001b[38;5;244mgrey', ['ansi-grey:grey']],
  ['\u001b[90mgrey', ['ansi-grey:grey']],
  ['\u001b[7;31m FAIL \u001b[27m', ['ansi-on-red: FAIL ']],
  ['\u001b[41m FAIL \u001b[49m b', ['ansi-on-red: FAIL ', ': b']],
  ['10 %\r50 %\r100 %\ndone', [':100 %\ndone']],
  ['a\r\nb', [':a\r\nb']],
  ['\u001b[2K\u001b[1Aline\u001b[?25l', [':line']],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', [':link']],
  ['\u001b[31', []],
])('%j is shown as %j', (text, parts) => {
  expect(styledTexts(text).map((part) => `${part.style}:${part.text}`)).toEqual(parts)
})

test('styles never lose or make up text, and leave no control character', () => {
  const pieces = fc.array(
    fc.constantFrom('\u001b', '[', ']', '31', ';', 'm', 'x', '\u0007', ' ', '\n', '38;5;', '\u009b'),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(
        styledTexts(parts.join(''))
          .map(({ text }) => text)
          .join(''),
      ).not.toMatch(/[\u001b\u009b]/)
    }),
  )
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (/[\u001b\u009b\r]/.test(text)) return
      expect(styledTexts(text)).toEqual(text === '' ? [] : [{ text, style: '' }])
    }),
  )
})

test('many changes of style are linear, and the rest of a text is shown without them', () => {
  const parts = styledTexts('\u001b[1mx\u001b[31my'.repeat(20_000))
  expect(parts.length).toBeLessThan(5_100)
  expect(parts.reduce((sum, { text }) => sum + text.length, 0)).toBe(40_000)
})

test('a text of Markdown has the blocks of GitHub', () => {
  const text =
    '# Title\n\nline one\nline two with `code` and **bold**\n\n- [x] done\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n<b>no</b>'
  const tokens = markdownTokens(text) ?? []
  expect(tokens.map(({ type }) => type).filter((type) => type !== 'space')).toEqual([
    'heading',
    'paragraph',
    'list',
    'table',
    'paragraph',
  ])
  const [, paragraph] = tokens.filter(({ type }) => type !== 'space')
  const inline = paragraph?.type === 'paragraph' ? paragraph.tokens.map(({ type }) => type) : []
  expect(inline).toEqual(['text', 'br', 'text', 'codespan', 'text', 'strong'])
})

test.each([
  ['too many characters', 'a '.repeat(40_000)],
  ['nested quotations', '>'.repeat(20_000)],
  ['nested lists', `${'- '.repeat(5_000)}a`],
])('a text of %s has no tokens', (_, text) => {
  expect(markdownTokens(text)).toBeUndefined()
})

test('long paragraphs of hostile emphasis are not searched for it', () => {
  const [paragraph] = markdownTokens('*a **b'.repeat(5_000)) ?? []
  expect(paragraph?.type === 'paragraph' ? paragraph.tokens.length : 0).toBe(1)
})

test('any text is read, or left unrendered', () => {
  const pieces = fc.array(
    fc.constantFrom('*', '_', '[', ']', '(', ')', '`', '\n', '> ', '- ', '|', '<', '&#0;', '~', 'a', '\\'),
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('')
      const tokens = markdownTokens(text)
      if (tokens !== undefined)
        expect(
          tokens
            .map(({ raw }) => raw)
            .join('')
            .trim().length,
        ).toBeLessThanOrEqual(text.length)
    }),
  )
})

test.each([
  ['&lt;b&gt; &amp; &#8230; &#x41;', '<b> & … A'],
  ['&unknown; &#0; &#xd800; &', '&unknown; \ufffd \ufffd &'],
  ['&constructor;', '&constructor;'],
])('%j reads %j', (text, plain) => {
  expect(withoutReferences(text)).toBe(plain)
})

test.each([
  ['https://example.com/a?b', 'https://example.com/a?b'],
  ['HTTP://example.com', 'http://example.com/'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['//example.com', undefined],
  ['src/orders.js', undefined],
])('the address %s leads to %s', (href, address) => {
  expect(webAddress(href)).toBe(address)
})
