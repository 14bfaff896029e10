import { nameOf } from './names.js'
import { child, children, type SyntaxNode } from './syntax-node.js'

/** The names of functions that stand in blocks, noted while a file is walked from the outside in. */
export interface BlockFunctions {
  visit(node: SyntaxNode): void
  /**
   * Those of a file that is not strict: there such a function also writes to a variable outside of its block, when and
   * where it stands. In a module, and behind `use strict`, a function belongs to its block and its place does not count.
   */
  namesIn(program: SyntaxNode): ReadonlySet<string>
}

/** A new collection. */
export function blockFunctions(): BlockFunctions {
  const bodies = new Set<SyntaxNode>()
  const names = new Set<string>()
  const note = (statements: readonly (SyntaxNode | undefined)[]) => {
    for (const statement of statements)
      if (statement?.type === 'FunctionDeclaration') names.add(nameOf(statement) ?? '')
  }
  return {
    visit(node) {
      const body = child(node, 'body')
      if (/Function|Method/.test(node.type) && body !== undefined) bodies.add(body)
      if (node.type === 'BlockStatement' && !bodies.has(node)) note(children(node, 'body'))
      if (node.type === 'SwitchCase') note(children(node, 'consequent'))
      if (node.type === 'IfStatement') note([child(node, 'consequent'), child(node, 'alternate')])
      if (node.type === 'LabeledStatement') note([body])
    },
    namesIn(program) {
      const isStrict = children(program, 'directives').some((one) => child(one, 'value')?.['value'] === 'use strict')
      return program['sourceType'] === 'module' || isStrict ? new Set() : names
    },
  }
}
