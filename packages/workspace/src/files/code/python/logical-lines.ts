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
 * Every statement on a line of its own and every suite in a block of its own: `a; b` becomes two lines, and
 * `if x: y` a block.
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

/** The statements between the semicolons of a line, each ended by a line end. */
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

/** The index of the colon that ends the header of a compound statement: outside brackets and not of a lambda. */
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
