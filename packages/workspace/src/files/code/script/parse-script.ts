import { processorMs, withProcessorLimit } from '@jurist/kit/processor-limit'
import type { ParserOptions, ParserPlugin } from '#babel-parser'
import { maxDepth, parseBudgetMs, type SyntaxProblem } from '../../comparator.js'

/** A token or comment of Babel. */
export interface ScriptToken {
  readonly type: string | { readonly label: string }
  readonly start: number
  readonly end: number
  readonly value?: unknown
}

export interface ParsedScript {
  readonly source: string
  readonly file: SyntaxNode
  readonly tokens: readonly ScriptToken[]
}

type Parse = (source: string, options: ParserOptions) => unknown

/** Parses a script in the dialect of its path, or in any dialect without a path. */
export async function parseScript(source: string, path?: string): Promise<ParsedScript | SyntaxProblem> {
  if (bracketNesting(source) > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  const { parse } = await import('#babel-parser')
  const deadline = processorMs() + parseBudgetMs(source)
  let problem: SyntaxProblem | undefined
  for (const plugins of dialects(path)) {
    const budgetMs = Math.ceil(deadline - processorMs())
    if (budgetMs <= 0) break
    try {
      return withProcessorLimit(budgetMs, () => parseAs(parse, source, plugins))
    } catch (thrown) {
      problem ??= problemOf(thrown)
    }
  }
  return problem ?? { message: 'the parser ran out of time', line: null }
}

function parseAs(parse: Parse, source: string, plugins: readonly ParserPlugin[]): ParsedScript {
  const file = parse(source, {
    sourceType: 'unambiguous',
    tokens: true,
    attachComment: false,
    allowReturnOutsideFunction: true,
    allowUndeclaredExports: true,
    plugins: [...plugins, ...everywhere],
  }) as SyntaxNode & { readonly tokens: readonly ScriptToken[] }
  return { source, file, tokens: file.tokens }
}

const everywhere: readonly ParserPlugin[] = [
  ['importAttributes', { deprecatedAssertSyntax: true }],
  'decoratorAutoAccessors',
  'explicitResourceManagement',
  'sourcePhaseImports',
  'deferredImportEvaluation',
]

const javaScript: readonly ParserPlugin[] = ['jsx']
const typeScript: readonly ParserPlugin[] = ['typescript']
const typeScriptWithJsx: readonly ParserPlugin[] = ['typescript', 'jsx']

/**
 * Returns the plugins to try, in order. Only the older decorators are allowed on parameters, only the newer ones in all
 * other places.
 */
function dialects(path: string | undefined): readonly (readonly ParserPlugin[])[] {
  const extension = /\.([cm]?[jt]sx?)$/.exec(path ?? '')?.[1]
  const plugins = extension === undefined ? [javaScript, typeScript, typeScriptWithJsx] : [dialectOf(extension)]
  return plugins.flatMap((dialect): readonly (readonly ParserPlugin[])[] => {
    const both: readonly ParserPlugin[] = ['decorators', 'decorators-legacy']
    const decorators = dialect.includes('typescript') ? both.toReversed() : both
    return decorators.map((decorator) => [...dialect, decorator])
  })
}

function dialectOf(extension: string): readonly ParserPlugin[] {
  if (extension === 'tsx') return typeScriptWithJsx
  return extension.includes('ts') ? typeScript : javaScript
}

/** Returns Babel's message without the location at its end. */
function problemOf(thrown: unknown): SyntaxProblem {
  const { message, code, loc } = thrown as {
    readonly message?: unknown
    readonly code?: unknown
    readonly loc?: { readonly line?: unknown }
  }
  if (thrown instanceof RangeError) return { message: 'nested too deeply', line: null }
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { message: 'the parser ran out of time', line: null }
  const line = typeof loc?.line === 'number' ? loc.line : null
  return { message: String(message).replace(/ \(\d+:\d+\)$/, ''), line }
}

const plainText = /[^"'/([{)\]}]+/y

/**
 * Estimates how deeply the brackets of a script nest, before anything has parsed it. Only a parser recognizes regular
 * expressions and templates, so brackets in those count too. The estimate is good enough to distinguish 50,000 from 50.
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

/** Returns the end of the string, the comment, the bracket or the plain code that begins at `at`. */
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

/** A loop, since a regular expression exhausts its stack on a string with millions of escapes. */
function stringEnd(source: string, open: number, quote: string): number {
  let at = open + 1
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  return at + 1
}

/** The part of a Babel node that is used here: the fields depend on the kind, the location does not. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string'
}

/** Returns the node in a field, or `undefined`. */
export function child(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

/** Returns the nodes in an array field, without holes. */
export function children(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  const value = node[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

const notChildren: ReadonlySet<string> = new Set([
  'type',
  'start',
  'end',
  'loc',
  'extra',
  'tokens',
  'comments',
  'errors',
])

/**
 * Calls `visit` for the node and everything below it, parents first, without recursion. Returns the number of nodes;
 * above `limit`, it stops and returns more than `limit`.
 */
export function walk(root: SyntaxNode, limit: number, visit: (node: SyntaxNode) => void): number {
  const waiting: SyntaxNode[] = [root]
  let count = 0
  for (let node = waiting.pop(); node !== undefined && count <= limit; node = waiting.pop()) {
    count++
    visit(node)
    for (const field of Object.keys(node)) {
      if (notChildren.has(field)) continue
      const value = node[field]
      if (isNode(value)) waiting.push(value)
      else if (Array.isArray(value)) for (const element of value) if (isNode(element)) waiting.push(element)
    }
  }
  return count
}
