import type { GrammarNode } from '@jurist/workspace/internal'
import type { Construct, ReadSource, Unreadable } from './construct.js'
import { callOf, fieldOf, infix, plain, prefix, readByGrammar, spanOf } from './grammar-source.js'

export function readPython(source: string): Promise<ReadSource | Unreadable> {
  return readByGrammar(source, {
    grammar: 'python',
    constructsAt,
    isFunction: ({ type }) => type === 'function_definition',
    isIdle: ({ type, field }) => /^import|^future_import|^type$/.test(type) || field === 'return_type',
  })
}

const conditional: ReadonlySet<string> = new Set(['if_statement', 'elif_clause', 'while_statement'])

function constructsAt(node: GrammarNode, source: string): readonly Construct[] {
  const found = readers[node.type]?.(node, source) ?? []
  const { parent } = node
  const isCondition = node.field === 'condition' && parent !== null && conditional.has(parent.type)
  const isChoice =
    parent?.type === 'conditional_expression' && parent.children.filter(({ isNamed }) => isNamed)[1] === node
  return isCondition || isChoice ? [plain('condition', node), ...found] : found
}

type Reader = (node: GrammarNode, source: string) => readonly Construct[]

/** Comparisons such as `a < b`, whose operands are adjacent named children. */
const comparison: Reader = (node, source) => {
  const operands = node.children.filter(({ isNamed, field }) => isNamed && field !== 'operators')
  const signs = node.children.filter(({ field }) => field === 'operators')
  const [left, right] = operands
  const [first, last] = [signs[0], signs.at(-1)]
  if (left === undefined || right === undefined || first === undefined || last === undefined || operands.length > 2)
    return []
  const nameAt = { start: first.start, end: last.end }
  const name = source.slice(nameAt.start, nameAt.end).replace(/\s+/g, ' ')
  return [{ kind: 'binary', ...spanOf(node), name, nameAt, parts: [spanOf(left), spanOf(right)] }]
}

/** A statement that consists of an expression, except docstrings. */
const expression: Reader = (node) => {
  const [inside] = node.children
  return inside !== undefined && /call|assignment|await|yield/.test(inside.type) ? [plain('statement', node)] : []
}

const call: Reader = (node, source) => {
  const [called, list] = [fieldOf(node, 'function'), fieldOf(node, 'arguments')]
  if (called?.type === 'identifier') return [callOf(node, source, { object: undefined, name: called, list })]
  const [object, name] = called === undefined ? [] : [fieldOf(called, 'object'), fieldOf(called, 'attribute')]
  return object === undefined || name === undefined ? [] : [callOf(node, source, { object, name, list })]
}

const readers: Readonly<Record<string, Reader>> = {
  augmented_assignment: (node, source) => infix('assignment', node, source),
  binary_operator: (node, source) => infix('binary', node, source),
  boolean_operator: (node, source) => infix('binary', node, source),
  break_statement: (node) => [plain('statement', node)],
  call,
  comparison_operator: comparison,
  continue_statement: (node) => [plain('statement', node)],
  expression_statement: expression,
  false: (node) => [plain('boolean', node)],
  float: (node) => [plain('number', node)],
  integer: (node) => [plain('number', node)],
  list: (node) => [{ ...plain('array', node), parts: node.children.filter(({ isNamed }) => isNamed).map(spanOf) }],
  not_operator: (node, source) => prefix('unary', node, source),
  raise_statement: (node) => [plain('statement', node)],
  return_statement(node) {
    const value = node.children.find(({ isNamed }) => isNamed)
    return value === undefined ? [] : [{ ...plain('return', node), parts: [spanOf(value)] }]
  },
  string: (node) => (node.parent?.type === 'expression_statement' ? [] : [plain('text', node)]),
  true: (node) => [plain('boolean', node)],
  unary_operator: (node, source) => prefix('unary', node, source),
}
