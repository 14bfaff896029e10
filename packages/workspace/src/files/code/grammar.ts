import { createRequire } from 'node:module'
import { processorMs } from '@jurist/kit/processor-limit'
import type { Node, Parser } from '#web-tree-sitter'
import { parseBudgetMs, type SyntaxProblem } from '../comparator.js'

/** The languages with a grammar in the package's directory `parsers`. */
type GrammarName = 'java' | 'python'

interface Loaded {
  readonly parser: Parser
  /** Whether the parser must not be used again. */
  spent: boolean
}

const parsers = new Map<GrammarName, Promise<Loaded>>()

/**
 * Returns why a source does not parse by the official grammar of its language; `undefined` if it does. The grammar is
 * loaded on first use. A source that makes the parser abort, or run out of time, does not parse: the parser is
 * discarded with its memory, and the next source gets a new one.
 */
export async function grammarProblem(name: GrammarName, source: string): Promise<SyntaxProblem | undefined> {
  return readByGrammar(name, source, () => undefined)
}

/** Reads the syntax tree of a source, or returns why it does not parse. The tree is freed when the promise resolves. */
async function readByGrammar<Result>(
  name: GrammarName,
  source: string,
  read: (root: Node) => Result,
): Promise<Result | SyntaxProblem> {
  for (;;) {
    const loading = parsers.get(name) ?? load(name)
    parsers.set(name, loading)
    const loaded = await loading
    // Another comparison may have used up the parser while this one waited.
    if (!loaded.spent) return parsedBy(loaded, source, read)
    if (parsers.get(name) === loading) parsers.delete(name)
  }
}

async function load(name: GrammarName): Promise<Loaded> {
  const { treeSitter } = await import('#web-tree-sitter')
  const { Language, Parser } = treeSitter()
  await Parser.init({ printErr: () => undefined })
  // Resolved by name, since the build decides where this code ends up.
  const file = createRequire(import.meta.url).resolve(`#tree-sitter-${name}`)
  const parser = new Parser()
  parser.setLanguage(await Language.load(file))
  return { parser, spent: false }
}

/** Errors of a module that aborts, or that is out of stack or memory. */
const breakages: ReadonlySet<string> = new Set(['RuntimeError', 'RangeError'])

function parsedBy<Result>(loaded: Loaded, source: string, read: (root: Node) => Result): Result | SyntaxProblem {
  const budgetMs = parseBudgetMs(source)
  const [clockEnd, processorEnd] = [performance.now() + budgetMs, processorMs() + budgetMs]
  // The clock comes first, since it is faster to read.
  const isOver = () => performance.now() > clockEnd && processorMs() > processorEnd
  try {
    const tree = loaded.parser.parse(source, null, { progressCallback: isOver })
    if (tree === null) {
      loaded.spent = true
      return { message: 'the parser ran out of time', line: null }
    }
    try {
      const { rootNode } = tree
      if (!rootNode.hasError) return read(rootNode)
      return { message: 'syntax error', line: firstError(rootNode).startPosition.row + 1 }
    } finally {
      tree.delete()
    }
  } catch (thrown) {
    loaded.spent = true
    if (!(thrown instanceof Error && breakages.has(thrown.name))) throw thrown
    return { message: 'the parser broke on it', line: null }
  }
}

/** Finds the first node that is an error itself or was missed, by descending into nodes with errors. */
function firstError(root: Node): Node {
  let node = root
  for (;;) {
    const broken = node.isError || node.isMissing ? undefined : node.children.find((child) => child?.hasError === true)
    if (broken === undefined || broken === null) return node
    node = broken
  }
}

/** A node of an official grammar, copied out of the parser. */
export interface GrammarNode {
  readonly type: string
  readonly start: number
  readonly end: number
  /** Whether the grammar has a rule of this name; `false` for words and signs such as `if` and `+`. */
  readonly isNamed: boolean
  /** Its role in the parent, such as `condition`; `null` without a special role. */
  readonly field: string | null
  readonly parent: GrammarNode | null
  readonly children: readonly GrammarNode[]
}

/** Parses a source by the official grammar of its language, or returns why it does not parse. */
// The declarations of this file must not refer to those of the parser, which are not published.
export function grammarTree(name: 'java' | 'python', source: string): Promise<GrammarNode | SyntaxProblem> {
  return readByGrammar(name, source, copied)
}

interface CopiedNode extends GrammarNode {
  readonly parent: CopiedNode | null
  readonly children: CopiedNode[]
}

/** Copies a tree without recursion: sources may nest deeply. */
function copied(root: Node): GrammarNode {
  const cursor = root.walk()
  const made = (parent: CopiedNode | null): CopiedNode => {
    const { nodeType, startIndex, endIndex, nodeIsNamed, currentFieldName } = cursor
    const node = { type: nodeType, start: startIndex, end: endIndex, isNamed: nodeIsNamed, field: currentFieldName }
    const copy: CopiedNode = { ...node, parent, children: [] }
    parent?.children.push(copy)
    return copy
  }
  try {
    const top = made(null)
    let current = top
    for (;;) {
      if (cursor.gotoFirstChild()) {
        current = made(current)
        continue
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent() || current.parent === null) return top
        current = current.parent
      }
      current = made(current.parent)
    }
  } finally {
    cursor.delete()
  }
}
