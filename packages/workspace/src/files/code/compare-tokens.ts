import { doesNotParse, type Finding, type SyntaxProblem } from '../comparator.js'
import { differs, type FoundDifference } from '../difference.js'
import { excerpts } from './excerpt.js'
import { firstDifferentToken, type TokenStream } from './token-stream.js'

/** What the parser said of the two sides; absent: it parses. */
interface Problems {
  readonly reference?: SyntaxProblem | undefined
  readonly actual?: SyntaxProblem | undefined
}

/** The notes of the sides that do not parse; none when both do. */
export function problemNotes({ reference, actual }: Problems): readonly string[] {
  return [
    ...(reference === undefined ? [] : [doesNotParse('reference', reference)]),
    ...(actual === undefined ? [] : [doesNotParse('workspace', actual)]),
  ]
}

/** The verdict of the tokens alone: equivalent, or one difference that belongs to no member. */
export function tokenFinding(reference: TokenStream, actual: TokenStream, notes: readonly string[] = []): Finding {
  const index = firstDifferentToken(reference, actual)
  return { by: 'tokens', differences: index === undefined ? [] : [tokenDifference(reference, actual, index)], notes }
}

function tokenDifference(reference: TokenStream, actual: TokenStream, index: number): FoundDifference {
  const expected = reference.texts[index]
  const found = actual.texts[index]
  return differs({
    member: '',
    line: lineAt(actual, index),
    referenceLine: lineAt(reference, index),
    ...excerpts(expected, found),
  })
}

/** The line of a token, past the end that of the last one; `null` when there is no token at all. */
function lineAt(stream: TokenStream, index: number): number | null {
  const last = stream.texts.length - 1
  return last < 0 ? null : stream.lineOf(Math.min(index, last))
}
