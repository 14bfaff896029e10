import { indent, newline, type PythonToken } from './python-tokens.js'

/** Words behind which a parenthesis is no call. */
const keywords: ReadonlySet<string> = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

type FrameKind = 'call' | 'tuple' | 'list' | 'subscript' | 'braces' | 'line'

interface Frame {
  readonly kind: FrameKind
  /** The commas so far, since the last token that begins another tuple. */
  commas: number
}

/**
 * The tokens without the commas that end a list of elements for style alone: in calls, parameters, lists, dictionaries,
 * sets, parenthesised imports, and tuples of two or more. The comma of `(1,)` and `x[1,]` makes the tuple, so it stays.
 */
export function withoutTrailingCommas(tokens: readonly PythonToken[]): readonly PythonToken[] {
  const frames: Frame[] = [{ kind: 'line', commas: 0 }]
  const result: PythonToken[] = []
  let lineStart = 0
  for (const [index, token] of tokens.entries()) {
    const frame = frames.at(-1) ?? { kind: 'line', commas: 0 }
    const { text } = token
    if (text === newline || text === indent) lineStart = index + 1
    if (text === ',') {
      if (isIdle(frame, tokens[index + 1]?.text)) continue
      frame.commas++
    } else if ('([{'.includes(text)) frames.push({ kind: kindOf(tokens, index, lineStart), commas: 0 })
    else if (')]}'.includes(text) && frames.length > 1) frames.pop()
    else if (text === '=' || text === ':' || text === newline) frame.commas = 0
    result.push(token)
  }
  return result
}

function isIdle({ kind, commas }: Frame, next: string | undefined): boolean {
  const closes = next === ')' || next === ']' || next === '}'
  const many = commas > 0
  switch (kind) {
    case 'call':
    case 'list':
    case 'braces':
      return closes
    case 'tuple':
    case 'subscript':
      return closes && many
    case 'line':
      return (next === newline || next === '=') && many
  }
}

function kindOf(tokens: readonly PythonToken[], index: number, lineStart: number): FrameKind {
  const text = tokens[index]?.text
  if (text === '{') return 'braces'
  const before = index > 0 ? (tokens[index - 1]?.text ?? '') : ''
  if (before === 'import') return 'call'
  const isOperand = /^[\w"'\u0080-\uffff]|^[)\]}]$|^\.\.\.$/.test(before) && !keywords.has(before)
  const applies = isOperand && !(index - 1 === lineStart && isSoftKeyword(tokens, lineStart))
  if (text === '[') return applies ? 'subscript' : 'list'
  return applies ? 'call' : 'tuple'
}

/** Whether the line is the head of a `match` or `case` block, which begins like a call. */
function isSoftKeyword(tokens: readonly PythonToken[], lineStart: number): boolean {
  const first = tokens[lineStart]?.text
  if (first !== 'match' && first !== 'case') return false
  let end = lineStart
  while (end < tokens.length && tokens[end]?.text !== newline) end++
  return tokens[end - 1]?.text === ':' && tokens[end + 1]?.text === indent
}
