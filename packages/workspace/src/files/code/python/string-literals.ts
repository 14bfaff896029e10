const prefixes: ReadonlySet<string> = new Set(['', 'r', 'u', 'b', 'f', 't', 'br', 'rb', 'fr', 'rf', 'tr', 'rt'])

/** The depth of strings in strings at which Python gives up. */
const maxNesting = 100

/** Whether a word directly before a quote is the prefix of a string. */
export function isStringPrefix(word: string): boolean {
  return word.length <= 2 && prefixes.has(word.toLowerCase())
}

/** Returns the end of the string whose opening quote is at `quoteAt`, or the end of the line if it is not closed. */
export function stringEnd(text: string, quoteAt: number, prefix: string, nesting: number = 0): number {
  const single = text[quoteAt] ?? ''
  const quote = text.startsWith(single.repeat(3), quoteAt) ? single.repeat(3) : single
  const formatted = /[ft]/i.test(prefix)
  for (let at = quoteAt + quote.length; at < text.length; ) {
    const character = text[at]
    if (text.startsWith(quote, at)) return at + quote.length
    if (character === '\n' && quote.length === 1) return at
    if (character === '\\') at += 2
    else if (formatted && character === '{') at = text[at + 1] === '{' ? at + 2 : fieldEnd(text, at, quote, nesting)
    else at++
  }
  return text.length
}

/** Returns the end of the replacement field whose `{` is at `open`. Strings in it may use the surrounding quotes. */
function fieldEnd(text: string, open: number, quote: string, nesting: number): number {
  if (nesting >= maxNesting) return text.length
  let depth = 0
  for (let at = open + 1; at < text.length; ) {
    const character = text[at] ?? ''
    if (character === '"' || character === "'") at = stringEnd(text, at, prefixBefore(text, at), nesting + 1)
    else if (character === '}' && depth === 0) return at + 1
    else if (character === ':' && depth === 0) return formatEnd(text, at + 1, quote, nesting)
    else if (character === '#') at = lineEnd(text, at)
    else {
      if ('([{'.includes(character)) depth++
      else if (')]}'.includes(character)) depth--
      at++
    }
  }
  return text.length
}

/** Returns the end of a field from the format after its colon: plain characters with fields in it. */
function formatEnd(text: string, from: number, quote: string, nesting: number): number {
  for (let at = from; at < text.length; ) {
    const character = text[at]
    if (character === '}') return at + 1
    if (text.startsWith(quote, at) || (character === '\n' && quote.length === 1)) return at
    at = character === '{' ? fieldEnd(text, at, quote, nesting + 1) : at + 1
  }
  return text.length
}

function prefixBefore(text: string, quoteAt: number): string {
  const word = /[A-Za-z0-9_]*$/.exec(text.slice(Math.max(0, quoteAt - 3), quoteAt))?.[0] ?? ''
  return isStringPrefix(word) ? word : ''
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

const plain = /^([uUbB]?)("""|'''|"|')([^'"\\\n]*)\2$/

/**
 * Normalizes a string literal: without a quote, backslash or line end in it, it gets double quotes and a prefix in
 * lower case. Any other literal stays as it is written.
 */
export function styleless(literal: string): string {
  const parts = plain.exec(literal)
  return parts === null ? literal : `${(parts[1] ?? '').toLowerCase()}"${parts[3]}"`
}
