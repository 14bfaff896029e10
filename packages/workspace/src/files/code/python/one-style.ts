import { dedent, indent, newline, type PythonToken } from './python-tokens.js'

const compoundWords: ReadonlySet<string> = new Set([
  'if',
  'elif',
  'else',
  'for',
  'while',
  'with',
  'try',
  'except',
  'finally',
  'def',
  'class',
])

/**
 * Puts every statement on its own line and every suite into its own block: `a; b` becomes two lines, and `if x: y` a
 * block.
 */
export function withOneStatementPerLine(tokens: readonly PythonToken[]): readonly PythonToken[] {
  const result: PythonToken[] = []
  const blocks: string[] = []
  let header = ''
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]
    if (token?.text === indent || token?.text === dedent) {
      if (token.text === indent) blocks.push(header)
      else blocks.pop()
      result.push(token)
      at++
    } else {
      const end = lineEnd(tokens, at)
      header = token?.text ?? ''
      const isHeader = beginsCompound(tokens, at, blocks.at(-1) === 'match')
      addLine(result, tokens.slice(at, end), isHeader, tokens[end + 1] ?? tokens[end])
      at = end + 1
    }
  }
  return result
}

function lineEnd(tokens: readonly PythonToken[], from: number): number {
  let end = from
  while (end < tokens.length && tokens[end]?.text !== newline) end++
  return end
}

function beginsCompound(tokens: readonly PythonToken[], at: number, inMatch: boolean): boolean {
  const first = tokens[at]?.text ?? ''
  if (first === 'async') return compoundWords.has(tokens[at + 1]?.text ?? '')
  return compoundWords.has(first) || (inMatch && first === 'case')
}

function addLine(
  result: PythonToken[],
  line: readonly PythonToken[],
  isHeader: boolean,
  following: PythonToken | undefined,
): void {
  const colon = isHeader ? suiteColon(line) : -1
  const header = line.slice(0, colon + 1)
  const suite = line.slice(colon + 1)
  const [first] = suite
  const colonToken = header.at(-1)
  if (colonToken === undefined || first === undefined) addStatements(result, line)
  else {
    result.push(...header, { text: newline, start: colonToken.start }, { text: indent, start: first.start })
    addStatements(result, suite)
    result.push({ text: dedent, start: following?.start ?? first.start })
  }
}

/** Adds the statements between the semicolons of a line, each followed by a line end. */
function addStatements(result: PythonToken[], line: readonly PythonToken[]): void {
  let previous: PythonToken | undefined
  for (const token of line) {
    if (token.text === ';') {
      if (previous !== undefined && previous.text !== ';') result.push({ text: newline, start: token.start })
    } else result.push(token)
    previous = token
  }
  if (previous !== undefined && previous.text !== ';') result.push({ text: newline, start: previous.start })
}

/**
 * Returns the index of the colon that ends the header of a compound statement: outside brackets and not part of a
 * lambda.
 */
function suiteColon(line: readonly PythonToken[]): number {
  let depth = 0
  let lambdas = 0
  for (const [index, { text }] of line.entries()) {
    if (text === '(' || text === '[' || text === '{') depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    else if (depth === 0 && text === 'lambda') lambdas++
    else if (depth === 0 && text === ':') {
      if (lambdas === 0) return index
      lambdas--
    }
  }
  return -1
}

/** Keywords after which a parenthesis does not begin a call. */
const keywords: ReadonlySet<string> = new Set(
  (
    'and as assert async await break class continue def del elif else except finally for from global if in is lambda ' +
    'nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

type FrameKind = 'call' | 'tuple' | 'list' | 'subscript' | 'braces' | 'line'

interface Frame {
  readonly kind: FrameKind
  /** The number of commas since the last token that begins another tuple. */
  commas: number
  /** Whether the current tokens are the targets of a `for`, up to its `in`. */
  inTargets: boolean
  /** The number of commas before each `lambda` with open parameters. The count continues after its colon. */
  readonly lambdas: number[]
}

/**
 * Removes the commas that end a list of elements only for style: in calls, parameters, lists, dictionaries, sets,
 * parenthesised imports, and tuples of two or more, with or without parentheses. The comma of `(1,)` and `x[1,]`
 * creates the tuple, so it stays.
 */
export function withoutTrailingCommas(tokens: readonly PythonToken[]): readonly PythonToken[] {
  const frames: Frame[] = [frameOf('line')]
  const result: PythonToken[] = []
  let lineStart = 0
  for (const [index, token] of tokens.entries()) {
    const frame = frames.at(-1) ?? frameOf('line')
    const { text } = token
    if (text === newline || text === indent) lineStart = index + 1
    if (text === ',') {
      if (isIdle(frame, tokens[index + 1]?.text)) continue
      frame.commas++
    } else if ('([{'.includes(text)) frames.push(frameOf(kindOf(tokens, index, lineStart)))
    else if (')]}'.includes(text) && frames.length > 1) frames.pop()
    else countAnew(frame, text)
    result.push(token)
  }
  return result
}

function frameOf(kind: FrameKind): Frame {
  return { kind, commas: 0, inTargets: false, lambdas: [] }
}

/** The count of commas starts again where another tuple begins. */
function countAnew(frame: Frame, text: string): void {
  switch (text) {
    case 'lambda':
      frame.lambdas.push(frame.commas)
      break
    case ':':
      frame.commas = frame.lambdas.pop() ?? frame.commas
      break
    case 'for':
      Object.assign(frame, { commas: 0, inTargets: true })
      break
    case 'in':
      if (frame.inTargets) Object.assign(frame, { commas: 0, inTargets: false })
      break
    case '=':
      frame.commas = 0
      break
    case newline:
      Object.assign(frame, frameOf(frame.kind))
  }
}

function isIdle({ kind, commas, inTargets, lambdas }: Frame, next: string | undefined): boolean {
  const closes = next === ')' || next === ']' || next === '}'
  const many = commas > 0
  if (next === ':' && lambdas.length > 0) return true
  if (next === 'in' && inTargets) return many
  switch (kind) {
    case 'call':
    case 'list':
    case 'braces':
      return closes
    case 'tuple':
    case 'subscript':
      return closes && many
    case 'line':
      return (next === newline || next === '=' || next === ':') && many
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
