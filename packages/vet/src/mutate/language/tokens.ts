import type { Construct, ConstructKind, MutableLanguage, ReadSource, Unreadable } from './construct.js'

/** A language that is read by its tokens alone, without a grammar. */
interface TokenLanguage {
  readonly name: string
  readonly source: RegExp
  readonly test: RegExp
  /** Rust has nested comments and lifetimes; Go has strings in backquotes. */
  readonly text: RegExp
  readonly nothing: string
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const number = /\d+(?:\.\d+)?(?![\w.])/y
const word = /[\p{L}_][\p{L}\p{N}_]*/uy
const sign =
  /<<=|>>=|&\^=|->|=>|::|\.\.=?|<=>|<=|>=|==|!=|&&|\|\||<<|>>|[-+*/%]=|\+\+|--|[-+*/%<>=!&|^~?:;,.(){}[\]#@]/y
const quoted = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'/y

const tests = /(?:^|\/)tests?\//i

/** Go, Rust, C++ and C#: relations, logic, booleans and numbers, as universalmutator finds them (Groce et al., ICSE 2018). */
export const tokenLanguages: readonly MutableLanguage[] = [
  { name: 'go', source: /\.go$/, test: /_test\.go$/, text: /`[^`]*`/y, nothing: 'nil' },
  {
    name: 'rust',
    source: /\.rs$/,
    test: /(?:^|\/)tests\//,
    text: /b?r(#*)"[\s\S]*?"\1|'(?:\\u\{\w+\})'/y,
    nothing: 'None',
  },
  {
    name: 'c++',
    source: /\.(?:cc|cpp|cxx|c|h|hpp|hh)$/,
    test: tests,
    text: /R"(\w*)\([\s\S]*?\)\1"/y,
    nothing: 'nullptr',
  },
  { name: 'c#', source: /\.cs$/, test: /Tests?(?:\/|\.cs$)/, text: /[$@]{1,2}"(?:[^"]|"")*"/y, nothing: 'null' },
].map(mutable)

function mutable({ name, source, test, text, nothing }: TokenLanguage): MutableLanguage {
  return {
    name,
    words: { true: 'true', false: 'false', nothing, noStatement: ';' },
    isSource: (path) => source.test(path),
    isTest: (path) => test.test(path) || tests.test(path),
    read: async (content) => readTokens(content, text),
  }
}

interface Token {
  readonly kind: 'text' | 'number' | 'word' | 'sign'
  readonly start: number
  readonly end: number
  readonly text: string
}

function readTokens(source: string, text: RegExp): ReadSource | Unreadable {
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

/** `<` and `>` with space around: others may be the brackets of a type. */
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
