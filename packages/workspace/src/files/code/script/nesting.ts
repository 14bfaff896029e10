const plainText = /[^"'/([{)\]}]+/y

/**
 * About how deep the brackets of a script nest, before anything has parsed it. Only a parser knows regular expressions
 * and templates, so brackets in those count too: the answer is exact enough for telling 50,000 from 50.
 *
 * @example
 * bracketNesting('f([1])') // 2
 */
export function bracketNesting(source: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < source.length; ) {
    const character = source[at] ?? ''
    if ('([{'.includes(character)) {
      depth++
      if (depth > deepest) deepest = depth
    } else if (')]}'.includes(character)) depth = Math.max(0, depth - 1)
    at = pieceEnd(source, at, character)
  }
  return deepest
}

/** The end of the string, the comment, the bracket or the plain text that begins at `at`. */
function pieceEnd(source: string, at: number, character: string): number {
  if (character === '"' || character === "'") return stringEnd(source, at, character)
  if (source.startsWith('//', at)) return endOr(source.indexOf('\n', at), source)
  if (source.startsWith('/*', at)) return endOr(source.indexOf('*/', at + 2), source)
  plainText.lastIndex = at
  return plainText.test(source) ? plainText.lastIndex : at + 1
}

function endOr(found: number, source: string): number {
  return found === -1 ? source.length : found + 1
}

/** By hand: a regular expression exhausts its stack on a string of millions of escapes. */
function stringEnd(source: string, open: number, quote: string): number {
  let at = open + 1
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  return at + 1
}
