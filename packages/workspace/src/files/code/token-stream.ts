import { doesNotParse, type Finding, type SyntaxProblem } from '../comparator.js'
import { differs, type FoundDifference } from '../difference.js'

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

const worthCutting = 60
const kept = 15

/** The different parts of two strings, cut so that the beginning of the difference is visible. */
interface Excerpts {
  readonly expected?: string
  readonly found?: string
}

/**
 * Leaves out most of the common beginning of two long tokens: otherwise, a changed word in a long token would be beyond
 * what a message quotes.
 */
export function excerpts(expected: string | undefined, found: string | undefined): Excerpts {
  const cut = expected !== undefined && found !== undefined ? Math.max(0, commonLength(expected, found) - kept) : 0
  return {
    ...(expected === undefined ? {} : { expected: shortenedBy(expected, cut) }),
    ...(found === undefined ? {} : { found: shortenedBy(found, cut) }),
  }
}

function shortenedBy(text: string, cut: number): string {
  return cut > 1 ? `…${text.slice(cut)}` : text
}

function commonLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  if (Math.max(one.length, other.length) <= worthCutting) return 0
  let length = 0
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
