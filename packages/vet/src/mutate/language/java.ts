import type { GrammarNode } from '@jurist/workspace/internal'
import type { Construct, ReadSource, Unreadable } from './construct.js'
import { callOf, fieldOf, infix, plain, prefix, readByGrammar, spanOf } from './grammar-source.js'

export function readJava(source: string): Promise<ReadSource | Unreadable> {
  return readByGrammar(source, {
    grammar: 'java',
    constructsAt,
    isFunction: ({ type }) => type === 'method_declaration' || type === 'constructor_declaration',
    isIdle: ({ type }) => /^(?:import|package)_declaration$|annotation$/.test(type),
  })
}

const conditional: ReadonlySet<string> = new Set([
  'if_statement',
  'while_statement',
  'do_statement',
  'for_statement',
  'ternary_expression',
])

function constructsAt(node: GrammarNode, source: string): readonly Construct[] {
  const found = readers[node.type]?.(node, source) ?? []
  const isCondition = node.field === 'condition' && conditional.has(node.parent?.type ?? '')
  // The parentheses belong to the statement. A loop without an end would make the code after it unreachable.
  const inside =
    node.type === 'parenthesized_expression' ? (node.children.find(({ isNamed }) => isNamed) ?? node) : node
  return isCondition ? [plain('condition', inside), ...found] : found
}

type Reader = (node: GrammarNode, source: string) => readonly Construct[]

/**
 * A statement that can be removed without breaking the compilation: not the only statement of a declaration or a
 * `switch`.
 */
const expression: Reader = (node) => (node.parent?.type === 'block' ? [plain('statement', node)] : [])

const call: Reader = (node, source) => {
  const name = fieldOf(node, 'name')
  if (name === undefined) return []
  return [callOf(node, source, { object: fieldOf(node, 'object'), name, list: fieldOf(node, 'arguments') })]
}

/** A `return` in a method that returns an object: `null` does not fit other types. */
const returned: Reader = (node) => {
  const value = node.children.find(({ isNamed }) => isNamed)
  let method = node.parent
  while (method !== null && !/^(?:method_declaration|lambda_expression)$/.test(method.type)) method = method.parent
  const type = method?.type === 'method_declaration' ? fieldOf(method, 'type')?.type : undefined
  const isObject =
    type !== undefined && /^(?:type_identifier|generic_type|array_type|scoped_type_identifier)$/.test(type)
  return value === undefined || !isObject ? [] : [{ ...plain('return', node), parts: [spanOf(value)] }]
}

const number: Reader = (node) => [plain('number', node)]

const readers: Readonly<Record<string, Reader>> = {
  array_initializer: (node) => [
    { ...plain('array', node), parts: node.children.filter(({ isNamed }) => isNamed).map(spanOf) },
  ],
  assignment_expression: (node, source) => infix('assignment', node, source),
  binary_expression: (node, source) => infix('binary', node, source),
  decimal_floating_point_literal: number,
  decimal_integer_literal: number,
  expression_statement: expression,
  false: (node) => [plain('boolean', node)],
  method_invocation: call,
  return_statement: returned,
  string_literal: (node) => [plain('text', node)],
  true: (node) => [plain('boolean', node)],
  unary_expression: (node, source) => prefix('unary', node, source),
  update_expression: (node, source) => prefix('update', node, source),
}
