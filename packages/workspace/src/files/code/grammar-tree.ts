import type { Node } from '#web-tree-sitter'
import type { SyntaxProblem } from '../comparator.js'
import { readByGrammar } from './grammar.js'

/** A node of an official grammar, copied out of the parser. */
export interface GrammarNode {
  readonly type: string
  readonly start: number
  readonly end: number
  /** Whether the grammar has a rule of this name; `false` for words and signs such as `if` and `+`. */
  readonly isNamed: boolean
  /** What it is to its parent, such as `condition`; `null`: nothing in particular. */
  readonly field: string | null
  readonly parent: GrammarNode | null
  readonly children: readonly GrammarNode[]
}

/** The tree of a source by the official grammar of its language, or why it has none. */
// The declarations of this file must not lead to those of the parser, which are not published.
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
