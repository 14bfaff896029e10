import { Lexer, type MarkedToken, type Token } from 'marked'

/** Longer strings are shown as recorded, since rendering them takes seconds. */
const maxText = 60_000
/**
 * Longer paragraphs are shown without emphasis and links, since finding these takes quadratic time in hostile input.
 */
const maxInline = 4_000

/**
 * Reads the tokens of Markdown (GitHub's dialect, in which a line break in the source is a line break). Returns
 * `undefined` if the source is too long or too deeply nested.
 */
export function markdownTokens(text: string): readonly MarkedToken[] | undefined {
  if (text.length > maxText) return undefined
  const lexer = new Lexer({ gfm: true, breaks: true })
  try {
    const blocks = lexer.blockTokens(text.replace(/\r\n?/g, '\n'), [])
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length > maxInline) tokens.push({ type: 'text', raw: src, text: src } as Token)
      else lexer.inlineTokens(src, tokens)
    }
    return isShallow(blocks, 0) ? (blocks as MarkedToken[]) : undefined
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined
    throw thrown
  }
}

const maxDepth = 40

function isShallow(tokens: readonly Token[], depth: number): boolean {
  if (depth > maxDepth) return false
  return tokens.every((token) => isShallow(childrenOf(token), depth + 1))
}

function childrenOf(token: Token): readonly Token[] {
  const one = token as MarkedToken
  if (one.type === 'list') return one.items
  if (one.type === 'table') return [one.header, ...one.rows].flat().flatMap(({ tokens }) => tokens)
  return 'tokens' in one ? (one.tokens ?? []) : []
}

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
}

/** Replaces character references (`&lt;`, `&#8230;`) by their characters. Unknown ones stay. */
export function withoutReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\ufffd'
  })
}

/**
 * Returns the address of a link that may be followed; `undefined` unless it is an absolute address of http or https.
 */
export function webAddress(href: string): string | undefined {
  const address = URL.canParse(href) ? new URL(href) : undefined
  return address?.protocol === 'http:' || address?.protocol === 'https:' ? address.href : undefined
}
