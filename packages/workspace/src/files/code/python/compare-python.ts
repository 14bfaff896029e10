import { type Finding, maxNodes, outOfTime, type Sources, type SyntaxProblem, type Unparsed } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import { grammarProblem } from '../grammar.js'
import { firstDifferentToken, lineFinder, problemNotes, type TokenStream, tokenFinding } from '../token-stream.js'
import { moduleMembers } from './module-members.js'
import { withOneStatementPerLine, withoutTrailingCommas } from './one-style.js'
import { lexPython } from './python-tokens.js'

/**
 * Compares two Python files by tokens in one style and, if these differ, by declarations. Quotes, the width of
 * indentation, trailing commas and the order of neighbouring functions do not count.
 */
export async function comparePython({ reference, actual, rules, inTime }: Sources): Promise<Finding | Unparsed> {
  const encodings = { reference: encodingProblem(reference), actual: encodingProblem(actual) }
  const unreadable = problemNotes(encodings)
  if (unreadable.length > 0) return { by: 'nothing', notes: unreadable }
  const expected = readPython(reference)
  const found = readPython(actual)
  const areEqual = firstDifferentToken(expected.stream, found.stream) === undefined
  if (areEqual && expected.problem === undefined && found.problem === undefined) {
    return { by: 'tokens', differences: [], notes: [] }
  }
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const notes = problemNotes({
    reference: expected.problem ?? (await syntaxProblem(expected.stream, reference)),
    actual: found.problem ?? (await syntaxProblem(found.stream, actual)),
  })
  if (notes.length > 0) return tokenFinding(expected.stream, found.stream, notes)
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const ignoreImportOrder = rules.ignoreImportOrder === true
  const streams = { reference: expected.stream, actual: found.stream }
  return declarationFinding(streams.reference, streams.actual, '(module)', (side) =>
    moduleMembers(streams[side], ignoreImportOrder),
  )
}

interface ReadPython {
  readonly stream: TokenStream
  readonly problem?: SyntaxProblem | undefined
}

function readPython(source: string): ReadPython {
  const { tokens: written, problem } = lexPython(source)
  const isSmall = written.length <= maxNodes
  const tokens = isSmall ? withoutTrailingCommas(withOneStatementPerLine(written)) : written
  const lineAt = lineFinder(source)
  const stream = { texts: tokens.map(({ text }) => text), lineOf: (index: number) => lineAt(tokens[index]?.start ?? 0) }
  return { stream, problem }
}

async function syntaxProblem({ texts }: TokenStream, source: string): Promise<SyntaxProblem | undefined> {
  if (texts.length > maxNodes) return { message: `more than ${maxNodes} tokens`, line: null }
  return grammarProblem('python', source)
}

const declaration = /^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/
const blankOrComment = /^[ \t\f]*(?:#|$)/

/**
 * Refuses a source whose first lines declare another encoding than UTF-8: what looks like a comment here could be code
 * to Python. Returns `undefined` without such a declaration.
 */
export function encodingProblem(source: string): SyntaxProblem | undefined {
  for (const [index, line] of source.split('\n', 2).entries()) {
    const name = declaration.exec(line)?.[1]
    if (name !== undefined) {
      if (/^utf[-_]?8(?:[-_](?:sig|unix))?$/i.test(name)) return undefined
      return { message: `the encoding "${name}" is not UTF-8`, line: index + 1 }
    }
    if (!blankOrComment.test(line)) return undefined
  }
  return undefined
}
