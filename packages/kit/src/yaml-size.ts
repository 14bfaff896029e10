/** More than 70,000 short lines have. The parser takes a second for this number. */
const maxLexemes = 500_000

const maxLevels = 256

/**
 * Says why YAML is too large or nested too deeply to be parsed: the parser recurses at every level, and near the end of
 * the stack even its regular expressions can crash the process.
 *
 * @param lexemes the result of the parser's lexer: this file does not load the parser
 */
export function yamlSizeProblem(lexemes: Iterable<string>): { message: string; line: number } | undefined {
  const blocks = openBlocks()
  let place: Place = { line: 1, column: 0 }
  let flow = 0
  let count = 0
  for (const lexeme of lexemes) {
    if (++count > maxLexemes) return { message: `more than ${maxLexemes} lexemes`, line: place.line }
    if (opens.has(lexeme)) flow++
    else if (closes.has(lexeme)) flow = Math.max(0, flow - 1)
    else if (flow === 0 && indicators.has(lexeme)) blocks.indicator(lexeme, place)
    else if (lexeme === '---') blocks.close()
    if (blocks.depth() + flow > maxLevels)
      return { message: `nested deeper than ${maxLevels} levels`, line: place.line }
    place = after(lexeme, place)
  }
  return undefined
}

const opens = new Set(['[', '{'])
const closes = new Set([']', '}'])
const indicators = new Set(['-', '?', ':'])
// The lexer's own marks for the start of a document, of a scalar, and of an error. They take no space in the source.
const marks = new Set(['\u0002', '\u0018', '\u001f'])

interface Place {
  readonly line: number
  readonly column: number
  /** The column of the key on the current line: of the first lexeme after the last indicator. */
  readonly key?: number
}

function after(lexeme: string, place: Place): Place {
  if (marks.has(lexeme)) return place
  const lastBreak = lexeme.lastIndexOf('\n')
  if (lastBreak >= 0) return { line: place.line + lexeme.split('\n').length - 1, column: lexeme.length - lastBreak - 1 }
  const column = place.column + lexeme.length
  const { line, key = lexeme.trim() === '' ? undefined : place.column } = place
  return key === undefined || indicators.has(lexeme) ? { line, column } : { line, column, key }
}

/** The open block collections at each column: a sequence, a mapping, or a sequence under a key in the same column. */
function openBlocks() {
  const blocks: { readonly column: number; sequence: number; mapping: number }[] = []
  let depth = 0
  const closeDownTo = (column: number) => {
    for (let last = blocks.at(-1); last !== undefined && last.column > column; last = blocks.at(-1)) {
      depth -= last.sequence + last.mapping
      blocks.pop()
    }
  }
  return {
    depth: () => depth,
    close: () => closeDownTo(-1),
    indicator(lexeme: string, place: Place) {
      const column = lexeme === ':' ? (place.key ?? place.column) : place.column
      closeDownTo(column)
      const last = blocks.at(-1)
      const block = last?.column === column ? last : { column, sequence: 0, mapping: 0 }
      if (block !== last) blocks.push(block)
      depth -= block.sequence + block.mapping
      if (lexeme === '-') block.sequence = 1
      else block.mapping = 1
      depth += block.sequence + block.mapping
    },
  }
}
