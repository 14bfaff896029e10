/**
 * The tokens of one source file, without comments and insignificant space. Everything after the lexer speaks of a
 * token by its index, so that normalising is choosing and reordering indexes, never rewriting text.
 */
export interface TokenStream {
  readonly texts: readonly string[]
  /** The line (from 1) in the file where the token at `index` begins. */
  lineOf(index: number): number
}

/**
 * The index of the first token in which two streams differ; `undefined` when they are equal token by token. The index
 * is one past the end of the shorter stream when that is a prefix of the other.
 *
 * @example
 * firstDifferentToken(javaTokens('int a;'), javaTokens('int  b;')) // 1
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

/**
 * A function from offsets to line numbers (from 1) of a text whose lines end in LF.
 *
 * @example
 * lineFinder('a\nb')(2) // 2
 */
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

/**
 * How many of the ascending `numbers` are at most `limit`.
 *
 * @example
 * countUpTo([0, 5, 9], 5) // 2
 */
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
