import { type GrammarNode, grammarTree } from '@jurist/workspace/internal'
import type { Construct, ReadSource, Span, Unreadable } from './construct.js'

/** How the syntax tree of a grammar is read. */
export interface GrammarReading {
  readonly grammar: 'java' | 'python'
  /** The constructs of a node, which may be more than one. */
  constructsAt(node: GrammarNode, source: string): readonly Construct[]
  isFunction(node: GrammarNode): boolean
  /** Whether the node is a type, an import or an annotation, whose children are skipped. */
  isIdle(node: GrammarNode): boolean
}

/** Reads a source with an official grammar. */
export async function readByGrammar(source: string, reading: GrammarReading): Promise<ReadSource | Unreadable> {
  const tree = await grammarTree(reading.grammar, source)
  if ('message' in tree) return { problem: `${tree.message}${tree.line === null ? '' : ` at line ${tree.line}`}` }
  const constructs: Construct[] = []
  const functions: Span[] = []
  const words: string[] = []
  const waiting: { readonly node: GrammarNode; readonly isIdle: boolean }[] = [{ node: tree, isIdle: false }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next
    if (node.type.endsWith('comment')) continue
    const isIdle = next.isIdle || reading.isIdle(node)
    if (!isIdle) constructs.push(...reading.constructsAt(node, source))
    if (reading.isFunction(node)) functions.push(spanOf(node))
    words.push(node.children.length === 0 ? source.slice(node.start, node.end) : node.type)
    for (const child of node.children.toReversed()) waiting.push({ node: child, isIdle })
  }
  return { constructs, functions, normalForm: words.join('\u0000') }
}

export function spanOf({ start, end }: Span): Span {
  return { start, end }
}

export function fieldOf(node: GrammarNode, field: string): GrammarNode | undefined {
  return node.children.find((child) => child.field === field)
}

/** The named children of a node without comments. */
export function namedChildren(node: GrammarNode): readonly GrammarNode[] {
  return node.children.filter(({ isNamed, type }) => isNamed && !type.endsWith('comment'))
}

/** The nodes in a field, of which there is one at most. */
export function inField(node: GrammarNode, field: string): readonly GrammarNode[] {
  return [fieldOf(node, field) ?? []].flat()
}

/** An operator with two operands, whose sign is in the field `operator`. */
export function infix(kind: 'binary' | 'assignment', node: GrammarNode, source: string): readonly Construct[] {
  const [left, right, sign] = [fieldOf(node, 'left'), fieldOf(node, 'right'), fieldOf(node, 'operator')]
  if (left === undefined || right === undefined || sign === undefined) return []
  const nameAt = spanOf(sign)
  return [{ kind, ...spanOf(node), name: source.slice(sign.start, sign.end), nameAt, parts: [left, right].map(spanOf) }]
}

/** An operator with one operand, before or after it. */
export function prefix(kind: 'unary' | 'update', node: GrammarNode, source: string): readonly Construct[] {
  const sign = node.children.find((child) => !child.isNamed)
  const [operand] = namedChildren(node)
  if (sign === undefined || operand === undefined) return []
  const nameAt = spanOf(sign)
  return [{ kind, ...spanOf(node), name: source.slice(sign.start, sign.end), nameAt, parts: [spanOf(operand)] }]
}

export function callOf(
  node: GrammarNode,
  source: string,
  parts: {
    readonly object: GrammarNode | undefined
    readonly name: GrammarNode
    readonly list: GrammarNode | undefined
  },
): Construct {
  const { object, name, list } = parts
  const given = (list === undefined ? [] : namedChildren(list)).map(spanOf)
  const called = { name: source.slice(name.start, name.end), nameAt: spanOf(name), isMethod: object !== undefined }
  return {
    kind: 'call',
    ...spanOf(node),
    ...called,
    parts: [...(object === undefined ? [] : [spanOf(object)]), ...given],
  }
}

/** A construct without parts. */
export function plain(kind: Construct['kind'], node: GrammarNode): Construct {
  return { kind, ...spanOf(node), parts: [] }
}
