import { lineFinder, type TokenStream } from '../token-stream.js'
import { textBlockValue } from './text-block.js'
import { translateUnicodeEscapes } from './unicode-escapes.js'

/** A word, a number, an operator (`>` always alone, because `>>` may close two type argument lists) or any character. */
const token = new RegExp(
  [
    String.raw`[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*`,
    String.raw`(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]+)?|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)[lLfFdD]?`,
    String.raw`>>>=|>>=|>=|<<=|<<|<=|->|--|-=|\+\+|\+=|&&|&=|\|\||\|=|==|!=|\*=|\/=|%=|\^=|::|\.\.\.|[^]`,
  ].join('|'),
  'y',
)
const stringRun = /[^"\\\n]*/y
const characterRun = /[^'\\\n]*/y
const blockRun = /[^"\\]*/y
const blockOpening = /"""[ \t\f]*\n/y

/**
 * The tokens of a Java source whose lines end in LF. Never fails: what the language does not know becomes a token of
 * its own, an unclosed literal reaches to the end of its line. A text block is represented by its value.
 *
 * @example
 * javaTokens('int a; // one').texts // ['int', 'a', ';']
 */
export function javaTokens(source: string): TokenStream {
  const { text, writtenOffset } = translateUnicodeEscapes(source)
  const texts: string[] = []
  const starts: number[] = []
  for (let at = nextToken(text, 0); at < text.length; ) {
    const end = tokenEnd(text, at)
    texts.push(isTextBlock(text, at) ? blockToken(text, at, end) : text.slice(at, end))
    starts.push(at)
    at = nextToken(text, end)
  }
  const lineAt = lineFinder(source)
  return { texts, lineOf: (index) => lineAt(writtenOffset(starts[index] ?? 0)) }
}

/** Where the next token begins: white space and comments passed. A comment that nothing closes is not passed. */
function nextToken(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code === 32 || code === 10 || code === 9 || code === 12 || code === 13 || code === 26) at++
    else if (code !== 47) return at
    else {
      const end = commentEnd(text, at)
      if (end === undefined) return at
      at = end
    }
  }
}

function commentEnd(text: string, at: number): number | undefined {
  const second = text.charCodeAt(at + 1)
  if (second !== 47 && second !== 42) return undefined
  const end = second === 47 ? text.indexOf('\n', at) : text.indexOf('*/', at + 2)
  if (second === 47) return end === -1 ? text.length : end
  return end === -1 ? undefined : end + 2
}

function tokenEnd(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === 34) return isTextBlock(text, at) ? blockEnd(text, at) : literalEnd(text, at, '"', stringRun)
  if (code === 39) return literalEnd(text, at, "'", characterRun)
  matchesAt(token, text, at)
  return token.lastIndex
}

function isTextBlock(text: string, at: number): boolean {
  return text.charCodeAt(at) === 34 && matchesAt(blockOpening, text, at)
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

function literalEnd(text: string, start: number, quote: string, run: RegExp): number {
  let at = start + 1
  for (;;) {
    matchesAt(run, text, at)
    at = run.lastIndex
    if (text[at] === quote) return at + 1
    if (text[at] !== '\\' || text[at + 1] === '\n') return at
    at = Math.min(at + 2, text.length)
  }
}

function blockEnd(text: string, start: number): number {
  let at = start + 3
  while (at < text.length) {
    matchesAt(blockRun, text, at)
    at = blockRun.lastIndex
    if (text.startsWith('"""', at)) return at + 3
    at += text[at] === '\\' ? 2 : 1
  }
  return text.length
}

/** The opening quotes and the value: never equal to a plain string, which holds no second quote. */
function blockToken(text: string, start: number, end: number): string {
  return `"""${textBlockValue(text.slice(text.indexOf('\n', start) + 1, end - 3))}`
}
