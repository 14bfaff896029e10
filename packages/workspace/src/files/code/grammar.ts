import { createRequire } from 'node:module'
import type { Node, Parser } from '#web-tree-sitter'
import type { SyntaxProblem } from '../comparator.js'
import { parseBudgetMs } from './within-budget.js'

/** The languages whose grammar stands in the package's directory `parsers`. */
type GrammarName = 'java' | 'python'

/** Looks for a syntax error in a source; `undefined` when it has none. */
type SyntaxCheck = (source: string) => SyntaxProblem | undefined

const checks = new Map<GrammarName, Promise<SyntaxCheck>>()

/** The official grammar of a language as a check of syntax; loaded on first use, once in a process. */
export function grammar(name: GrammarName): Promise<SyntaxCheck> {
  const loaded = checks.get(name) ?? load(name)
  checks.set(name, loaded)
  return loaded
}

async function load(name: GrammarName): Promise<SyntaxCheck> {
  const { Language, Parser } = await import('#web-tree-sitter')
  await Parser.init()
  // Found by name: where this file stands in the package is up to the build.
  const file = createRequire(import.meta.url).resolve(`#tree-sitter-${name}`)
  const parser = new Parser()
  parser.setLanguage(await Language.load(file))
  return (source) => syntaxProblem(parser, source)
}

function syntaxProblem(parser: Parser, source: string): SyntaxProblem | undefined {
  const deadline = performance.now() + parseBudgetMs(source)
  const tree = parser.parse(source, null, { progressCallback: () => performance.now() > deadline })
  if (tree === null) {
    parser.reset()
    return { message: 'the parser ran out of time', line: null }
  }
  try {
    const error = tree.rootNode.hasError ? firstError(tree.rootNode) : undefined
    return error && { message: 'syntax error', line: error.startPosition.row + 1 }
  } finally {
    tree.delete()
  }
}

/** The first node that is an error itself or was missed, found by descending where errors are. */
function firstError(root: Node): Node {
  let node = root
  for (;;) {
    const broken = node.isError || node.isMissing ? undefined : node.children.find((child) => child?.hasError === true)
    if (broken === undefined || broken === null) return node
    node = broken
  }
}
