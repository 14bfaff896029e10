import { doesNotParse, type Finding, type SyntaxProblem } from '../comparator.js'
import { differs, excerpts, type FoundDifference } from '../difference.js'

/**
 * The tokens of one source file, without comments and insignificant space. Everything after the lexer refers to a token
 * by its index, so normalising means choosing and reordering indexes, never rewriting source code.
 */
export interface TokenStream {
  readonly texts: readonly string[]
  /** Returns the line, counted from 1, on which the token at `index` begins. */
  lineOf(index: number): number
}

/**
 * Returns the index of the first token in which two streams differ; `undefined` if all tokens are equal. If one stream
 * is a prefix of the other, the index is one past its end.
 */
export function firstDifferentToken(reference: TokenStream, actual: TokenStream): number | undefined {
  const expected = reference.texts
  const found = actual.texts
  const length = Math.min(expected.length, found.length)
  for (let index = 0; index < length; index++) {
    if (expected[index] !== found[index]) return index
  }
  return expected.length === found.length ? undefined : length
}

/** Returns a function that converts offsets to line numbers, counted from 1, in a source with LF line ends. */
export function lineFinder(text: string): (offset: number) => number {
  let starts: readonly number[] | undefined
  return function lineAt(offset) {
    starts ??= lineStarts(text)
    return countUpTo(starts, offset)
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns how many of the ascending `numbers` are at most `limit`. */
export function countUpTo(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

/** The parser's problem for each side; absent if that side parses. */
interface Problems {
  readonly reference?: SyntaxProblem | undefined
  readonly actual?: SyntaxProblem | undefined
}

/** Returns the notes about the sides that do not parse. */
export function problemNotes({ reference, actual }: Problems): readonly string[] {
  return [
    ...(reference === undefined ? [] : [doesNotParse('reference', reference)]),
    ...(actual === undefined ? [] : [doesNotParse('workspace', actual)]),
  ]
}

/** Compares by tokens alone: equivalent, or one difference that belongs to no member. */
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

/** Returns the line of a token; past the end, that of the last one; `null` without any token. */
function lineAt(stream: TokenStream, index: number): number | null {
  const last = stream.texts.length - 1
  return last < 0 ? null : stream.lineOf(Math.min(index, last))
}
