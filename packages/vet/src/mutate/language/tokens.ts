import type { Construct, ConstructKind, ReadSource } from './construct.js'

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const number = /\d+(?:\.\d+)?(?![\w.])/y
const word = /[\p{L}_][\p{L}\p{N}_]*/uy
const sign =
  /<<=|>>=|&\^=|->|=>|::|\.\.=?|<=>|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%]=|\+\+|--|[-+*/%<>=!&|^~?:;,.(){}[\]#@]/y
const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/y

/** A language that is read by its tokens, without a grammar. */
export type TokenLanguage = 'go' | 'rust' | 'c++' | 'c#'

/**
 * The string literals that only one language has. Those of Go are in backquotes; lifetimes of Rust resemble character
 * literals.
 */
const ownText: Readonly<Record<TokenLanguage, RegExp>> = {
  go: /`[^`]*`/y,
  rust: /b?r(#*)"[\s\S]*?"\1|'(?:\\u\{\w+\})'/y,
  'c++': /R"(\w*)\([\s\S]*?\)\1"/y,
  'c#': /[$@]{1,2}"(?:[^"]|"")*"/y,
}

interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'sign'
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Finds relations, logic, booleans and numbers as universalmutator does (Groce et al., ICSE 2018). */
export function readTokens(source: string, language: TokenLanguage): ReadSource {
  const text = ownText[language]
  const tokens: Token[] = []
  for (let at = 0; at < source.length; ) {
    const end = endOf(comment, source, at)
    if (end !== undefined) {
      at = end
      continue
    }
    const token = tokenAt(source, at, text)
    if (token !== undefined) tokens.push(token)
    at = token?.end ?? at + 1
  }
  return {
    constructs: tokens.flatMap((token, index) => constructOf(token, tokens[index - 1], tokens[index + 1], source)),
    functions: [],
    normalForm: tokens.map((token) => token.text).join('\u0000'),
  }
}

function endOf(pattern: RegExp, source: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : undefined
}

function tokenAt(source: string, start: number, text: RegExp): Token | undefined {
  const kinds = [
    ['text', text],
    ['text', quoted],
    ['word', word],
    ['number', number],
    ['sign', sign],
  ] as const
  for (const [kind, pattern] of kinds) {
    const end = endOf(pattern, source, start)
    if (end !== undefined) return { kind, start, end, text: source.slice(start, end) }
  }
  return undefined
}

/** These count only with space around them: otherwise they may be the brackets of a type. */
const spaced: ReadonlySet<string> = new Set(['<', '>', '<=', '>='])
const relations: ReadonlySet<string> = new Set([...spaced, '==', '!=', '&&', '||'])

function constructOf(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  source: string,
): readonly Construct[] {
  const { kind, text, start, end } = token
  const made = (found: ConstructKind, more: Partial<Construct> = {}) => [
    { kind: found, start, end, parts: [], ...more },
  ]
  if (kind === 'word' && (text === 'true' || text === 'false')) return made('boolean')
  if (kind === 'number') return before?.text === '[' && after?.text === ']' ? [] : made('number')
  if (kind !== 'sign' || !relations.has(text) || before === undefined || after === undefined) return []
  const isApart = /\s/.test(source[start - 1] ?? '') && /\s/.test(source[end] ?? '')
  if (spaced.has(text) && !isApart) return []
  const parts = [
    { start: before.start, end: before.end },
    { start: after.start, end: after.end },
  ]
  return made('binary', { name: text, nameAt: { start, end }, parts })
}
