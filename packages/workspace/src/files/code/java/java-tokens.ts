import { countUpTo, lineFinder, type TokenStream } from '../token-stream.js'

/**
 * A word, a number, an operator (`>` always alone, because `>>` may close two type argument lists) or any character.
 */
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
 * Tokenizes a Java source with LF line ends. It never fails: unknown characters become tokens, and an unclosed literal
 * reaches to the end of its line. A text block is represented by its value.
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

/** Finds the next token after white space and comments. An unclosed comment is not skipped. */
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

/**
 * Combines the opening quotes and the value, so that the token never equals a plain string, which has no second quote.
 */
function blockToken(text: string, start: number, end: number): string {
  return `"""${textBlockValue(text.slice(text.indexOf('\n', start) + 1, end - 3))}`
}

/**
 * Computes the value of a Java text block from the part between its opening line and the closing quotes: it strips
 * incidental indentation and trailing space, then translates escapes, as the language defines it.
 */
function textBlockValue(content: string): string {
  const lines = content.split('\n')
  const indent = incidentalIndent(lines)
  const stripped = lines.map((line) => (isBlank(line) ? '' : withoutTrailingSpace(line.slice(indent))))
  return translated(stripped.join('\n'))
}

/** This scans from the end: a regular expression would take quadratic time for long runs of space inside a line. */
function withoutTrailingSpace(line: string): string {
  let end = line.length
  while (end > 0 && ' \t\f'.includes(line.charAt(end - 1))) end--
  return line.slice(0, end)
}

function isBlank(line: string): boolean {
  return /^[ \t\f]*$/.test(line)
}

/**
 * Returns the least indentation of the lines that are not blank and of the last line, which counts even if it is blank.
 */
function incidentalIndent(lines: readonly string[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const [index, line] of lines.entries()) {
    if (isBlank(line) && index < lines.length - 1) continue
    least = Math.min(least, line.search(/[^ \t\f]|$/))
  }
  return least
}

const named: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['s', ' '],
  ['t', '\t'],
  ['n', '\n'],
  ['f', '\f'],
  ['r', '\r'],
  ['\n', ''],
])

function translated(text: string): string {
  return text.replace(/\\([0-3]?[0-7]{1,2}|.)/gs, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8))
    return named.get(code) ?? code
  })
}

/** A source without Unicode escapes, and a mapping to offsets in the original source. */
interface TranslatedSource {
  readonly text: string
  /** Returns the offset in the original source of the character at `offset` of `text`. */
  writtenOffset(offset: number): number
}

const backslash = /\\(?:u+([0-9a-fA-F]{4})|.)/gs

/**
 * Translates `\\uXXXX` before anything else is read, as the language demands: only after an even number of backslashes,
 * and a translated backslash begins no further escape. So code hidden in an escaped comment end is treated as code.
 */
export function translateUnicodeEscapes(source: string): TranslatedSource {
  if (!source.includes('\\u')) return { text: source, writtenOffset: (offset) => offset }
  const ends: number[] = []
  let removed = 0
  const text = source.replace(backslash, (written: string, code: string | undefined, offset: number) => {
    if (code === undefined) return written
    ends.push(offset - removed + 1)
    removed += written.length - 1
    return String.fromCharCode(Number.parseInt(code, 16))
  })
  const removedUpTo = removedSums(source)
  return { text, writtenOffset: (offset) => offset + (removedUpTo[countUpTo(ends, offset)] ?? 0) }
}

/** Returns how many characters the first n escapes remove, for n from 0. */
function removedSums(source: string): readonly number[] {
  const sums = [0]
  for (const [written, code] of source.matchAll(backslash)) {
    if (code !== undefined) sums.push((sums.at(-1) ?? 0) + written.length - 1)
  }
  return sums
}
