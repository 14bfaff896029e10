import type { Edit, Node, Source, Spot } from './syntax.js'
import { applied, inserted, lineAt, rangeOf, spotsOf } from './syntax.js'

/** A piece of a source whose execution is counted: a statement, or the expression that is the body of an arrow. */
export interface Statement {
  readonly path: string
  readonly start: number
  readonly end: number
  /** Counted from 1. */
  readonly line: number
}

/** The statements of some sources, and the sources with a call of `$hit(<number of the statement>)` before each. */
export interface Instrumented {
  readonly statements: readonly Statement[]
  readonly sources: readonly Source[]
}

/**
 * Numbers the statements of the sources, and makes them count themselves.
 *
 * @example
 * instrument([{ path: 'a.js', text: 'if (x) y()' }]).sources[0].text // '$hit(0);if (x) {$hit(1);y()}'
 */
export function instrument(sources: readonly Source[]): Instrumented {
  const statements: Statement[] = []
  const instrumented = sources.map((source) => {
    const opening: Edit[] = []
    const closing: Edit[] = []
    for (const spot of spotsOf(source)) {
      const probe = probeAt(spot, statements.length)
      if (probe === undefined) continue
      const { start, end } = rangeOf(spot.node)
      statements.push({ path: source.path, start, end, line: lineAt(source, start) })
      opening.push(inserted(start, probe.before))
      closing.unshift(inserted(end, probe.after))
    }
    return { path: source.path, text: applied(source.text, [...closing, ...opening]) }
  })
  return { statements, sources: instrumented }
}

const uncounted = /^(Import|Export|Function|Class|Block|Empty|TS)/

function probeAt({ node, around: [parent] }: Spot, number: number): { before: string; after: string } | undefined {
  if (parent === undefined) return undefined
  if (isListed(node, parent) && !uncounted.test(declarationIn(node).type))
    return { before: `$hit(${number});`, after: '' }
  if (node.type === 'BlockStatement') return undefined
  if (isBranch(node, parent)) return { before: `{$hit(${number});`, after: '}' }
  const isBody = parent.type === 'ArrowFunctionExpression' && parent.body === node
  return isBody ? { before: `($hit(${number}),`, after: ')' } : undefined
}

const declarationIn = (node: Node): Node => (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node)

function isListed(node: Node, parent: Node): boolean {
  const isBlock = parent.type === 'Program' || parent.type === 'BlockStatement'
  const list: readonly Node[] = isBlock ? parent.body : parent.type === 'SwitchCase' ? parent.consequent : []
  return list.includes(node)
}

function isBranch(node: Node, parent: Node): boolean {
  if (parent.type === 'IfStatement') return parent.consequent === node || parent.alternate === node
  return /^(While|DoWhile|For|ForIn|ForOf)Statement$/.test(parent.type) && 'body' in parent && parent.body === node
}
