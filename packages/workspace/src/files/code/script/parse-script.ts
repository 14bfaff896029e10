import type { ParserOptions, ParserPlugin } from '#babel-parser'
import { maxDepth, type SyntaxProblem } from '../../comparator.js'
import { parseBudgetMs, withinBudget } from '../within-budget.js'
import { bracketNesting } from './nesting.js'
import type { SyntaxNode } from './syntax-node.js'

/** A token or comment as Babel gives it. */
export interface ScriptToken {
  readonly type: string | { readonly label: string }
  readonly start: number
  readonly end: number
  readonly value?: unknown
}

/** A script that parses. */
export interface ParsedScript {
  readonly source: string
  readonly file: SyntaxNode
  readonly tokens: readonly ScriptToken[]
}

type Parse = (source: string, options: ParserOptions) => unknown

/** Parses a script in the dialect of its path; without a path in whichever dialect it is. */
export async function parseScript(source: string, path?: string): Promise<ParsedScript | SyntaxProblem> {
  if (bracketNesting(source) > maxDepth.code) return { message: `nested deeper than ${maxDepth.code}`, line: null }
  const { parse } = await import('#babel-parser')
  const deadline = performance.now() + parseBudgetMs(source)
  let problem: SyntaxProblem | undefined
  for (const plugins of dialects(path)) {
    const budgetMs = Math.ceil(deadline - performance.now())
    if (budgetMs <= 0) break
    try {
      return withinBudget(budgetMs, () => parseAs(parse, source, plugins))
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

/** The plugins to try, in order. Only the older decorators stand on parameters, only the newer ones in all places. */
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

/** What Babel says, without the place that it puts behind its message. */
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
