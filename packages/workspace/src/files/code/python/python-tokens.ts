import { maxDepth, type SyntaxProblem } from '../../comparator.js'

/** The tokens for layout. No other token begins with a bracket and continues. */
export const newline = '(newline)'
export const indent = '(indent)'
export const dedent = '(dedent)'

/** Marks an indentation that Python refuses, so that such a file never equals one that runs. */
const refusedIndentation = '(refused indentation)'

/** A token and its offset. */
export interface PythonToken {
  readonly text: string
  readonly start: number
}

const margin = /[ \t\f]*/y
const space = /[ \t\f]*/y
const word = /[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*/y
const numberOrOperator = new RegExp(
  [
    String.raw`0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+`,
    String.raw`(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?`,
    String.raw`\*\*=?|\/\/=?|>>=?|<<=?|\.\.\.|->|:=|[!=<>*\/%@&|^+-]=|<>|.`,
  ].join('|'),
  'sy',
)

/**
 * Lexes a Python source with LF line ends: comments and blank lines are dropped, lines in brackets and after a
 * backslash are joined, and layout becomes tokens. It never fails; what Python's lexer refuses is the `problem`.
 */
export function lexPython(source: string): {
  readonly tokens: readonly PythonToken[]
  readonly problem?: SyntaxProblem | undefined
} {
  const tokens: PythonToken[] = []
  const blocks = indentation()
  let problem: SyntaxProblem | undefined
  let brackets = 0
  let deepest = 0
  for (let at = 0; at < source.length; ) {
    const lineStart = brackets === 0 && (tokens.length === 0 || tokens.at(-1)?.text === newline)
    const start = lineStart ? nextLine(source, at) : nextOnLine(source, at, brackets > 0)
    if (start >= source.length) break
    if (lineStart) problem ??= openBlocks(source, start, blocks, tokens)
    if (source[start] === '\n') {
      tokens.push({ text: newline, start })
      at = start + 1
      continue
    }
    const token = tokenAt(source, start)
    if ('([{'.includes(token.text)) deepest = Math.max(deepest, ++brackets)
    else if (')]}'.includes(token.text)) brackets = Math.max(0, brackets - 1)
    tokens.push(token)
    at = token.end
  }
  if (deepest > maxDepth.code) problem = { message: `nested deeper than ${maxDepth.code}`, line: null }
  closeBlocks(blocks.depth(), tokens)
  return { tokens, problem }
}

function matchEnd(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : at
}

/** Finds the first token of the next line that has one. */
function nextLine(source: string, from: number): number {
  for (let at = from; at < source.length; ) {
    const start = matchEnd(margin, source, at)
    if (source[start] !== '\n' && source[start] !== '#') return start
    at = lineEnd(source, start) + 1
  }
  return source.length
}

/** Finds the next token of a line, or its end. In brackets, lines continue. */
function nextOnLine(source: string, from: number, inBrackets: boolean): number {
  for (let at = from; ; ) {
    const start = matchEnd(space, source, at)
    if (source[start] === '#') at = lineEnd(source, start)
    else if (source[start] === '\\' && source[start + 1] === '\n') at = start + 2
    else if (source[start] === '\n' && inBrackets) at = start + 1
    else return start
  }
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end
}

function openBlocks(
  source: string,
  start: number,
  blocks: ReturnType<typeof indentation>,
  tokens: PythonToken[],
): SyntaxProblem | undefined {
  const lineStart = source.lastIndexOf('\n', start - 1) + 1
  const entered = blocks.enter(source.slice(start === 0 ? 0 : lineStart, start))
  if (typeof entered === 'string') {
    tokens.push({ text: refusedIndentation, start })
    return { message: entered, line: source.slice(0, start).split('\n').length }
  }
  if (entered > 0) tokens.push({ text: indent, start })
  for (let closed = entered; closed < 0; closed++) tokens.push({ text: dedent, start })
  return undefined
}

/** Ends the last line and the open blocks, on the line of the last token. */
function closeBlocks(depth: number, tokens: PythonToken[]): void {
  const start = tokens.at(-1)?.start ?? 0
  const last = tokens.at(-1)?.text
  if (last !== undefined && last !== newline) tokens.push({ text: newline, start })
  for (let open = depth; open > 0; open--) tokens.push({ text: dedent, start })
}

function tokenAt(source: string, start: number): PythonToken & { readonly end: number } {
  const wordEnd = matchEnd(word, source, start)
  const quote = source[wordEnd]
  const prefix = source.slice(start, wordEnd)
  if ((quote === '"' || quote === "'") && isStringPrefix(prefix)) {
    const end = stringEnd(source, wordEnd, prefix)
    return { text: styleless(source.slice(start, end)), start, end }
  }
  const end = wordEnd > start ? wordEnd : matchEnd(numberOrOperator, source, start)
  return { text: source.slice(start, end), start, end }
}

interface Width {
  readonly columns: number
  readonly characters: number
}

/** Python itself does not open more blocks than this. */
const maxBlocks = 100

/** The open blocks of a file, by Python's rule: with tabs to every eighth column, and with tabs of one. */
function indentation() {
  const open: Width[] = [{ columns: 0, characters: 0 }]
  /** Returns how many blocks a line with this margin opens (1) or closes (negative), or why Python refuses it. */
  const enter = (margin: string): number | string => {
    const width = widthOf(margin)
    const top = open.at(-1) ?? width
    if (width.columns > top.columns) {
      if (width.characters <= top.characters) return 'inconsistent use of tabs and spaces'
      open.push(width)
      return open.length > maxBlocks ? 'too many levels of indentation' : 1
    }
    let closed = 0
    while ((open.at(-1)?.columns ?? 0) > width.columns) {
      open.pop()
      closed++
    }
    const now = open.at(-1) ?? width
    if (now.columns !== width.columns) return 'unindent does not match any outer indentation level'
    return now.characters === width.characters ? -closed : 'inconsistent use of tabs and spaces'
  }
  return { enter, depth: () => open.length - 1 }
}

function widthOf(margin: string): Width {
  let columns = 0
  let characters = 0
  for (const character of margin) {
    if (character === '\f') {
      columns = 0
      characters = 0
    } else {
      columns = character === '\t' ? (Math.floor(columns / 8) + 1) * 8 : columns + 1
      characters++
    }
  }
  return { columns, characters }
}

const prefixes: ReadonlySet<string> = new Set(['', 'r', 'u', 'b', 'f', 't', 'br', 'rb', 'fr', 'rf', 'tr', 'rt'])

/** The depth of strings in strings at which Python gives up. */
const maxNesting = 100

/** Whether a word directly before a quote is the prefix of a string. */
function isStringPrefix(word: string): boolean {
  return word.length <= 2 && prefixes.has(word.toLowerCase())
}

/** Returns the end of the string whose opening quote is at `quoteAt`, or the end of the line if it is not closed. */
function stringEnd(text: string, quoteAt: number, prefix: string, nesting: number = 0): number {
  const single = text[quoteAt] ?? ''
  const quote = text.startsWith(single.repeat(3), quoteAt) ? single.repeat(3) : single
  const formatted = /[ft]/i.test(prefix)
  for (let at = quoteAt + quote.length; at < text.length; ) {
    const character = text[at]
    if (text.startsWith(quote, at)) return at + quote.length
    if (character === '\n' && quote.length === 1) return at
    if (character === '\\') at += 2
    else if (formatted && character === '{') at = text[at + 1] === '{' ? at + 2 : fieldEnd(text, at, quote, nesting)
    else at++
  }
  return text.length
}

/** Returns the end of the replacement field whose `{` is at `open`. Strings in it may use the surrounding quotes. */
function fieldEnd(text: string, open: number, quote: string, nesting: number): number {
  if (nesting >= maxNesting) return text.length
  let depth = 0
  for (let at = open + 1; at < text.length; ) {
    const character = text[at] ?? ''
    if (character === '"' || character === "'") at = stringEnd(text, at, prefixBefore(text, at), nesting + 1)
    else if (character === '}' && depth === 0) return at + 1
    else if (character === ':' && depth === 0) return formatEnd(text, at + 1, quote, nesting)
    else if (character === '#') at = commentEnd(text, at)
    else {
      if ('([{'.includes(character)) depth++
      else if (')]}'.includes(character)) depth--
      at++
    }
  }
  return text.length
}

/** Returns the end of a field from the format after its colon: plain characters with fields in it. */
function formatEnd(text: string, from: number, quote: string, nesting: number): number {
  for (let at = from; at < text.length; ) {
    const character = text[at]
    if (character === '}') return at + 1
    if (text.startsWith(quote, at) || (character === '\n' && quote.length === 1)) return at
    at = character === '{' ? fieldEnd(text, at, quote, nesting + 1) : at + 1
  }
  return text.length
}

function prefixBefore(text: string, quoteAt: number): string {
  const word = /[A-Za-z0-9_]*$/.exec(text.slice(Math.max(0, quoteAt - 3), quoteAt))?.[0] ?? ''
  return isStringPrefix(word) ? word : ''
}

function commentEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const plain = /^([uUbB]?)("""|'''|"|')([^'"\\\n]*)\2$/

/**
 * Normalizes a string literal: without a quote, backslash or line end in it, it gets double quotes and a prefix in
 * lower case. Any other literal stays as it is written.
 */
function styleless(literal: string): string {
  const parts = plain.exec(literal)
  return parts === null ? literal : `${(parts[1] ?? '').toLowerCase()}"${parts[3]}"`
}
