import type { Node, Spot } from '../syntax.js'
import { spotsOf } from '../syntax.js'
import type { Rule } from './rule.js'
import { instead, isValue } from './rule.js'

/** Another variable that can be seen from here. */
export const anotherName: Rule = (spot) => {
  const { node, around } = spot
  if (node.type !== 'Identifier' || !(isValue(spot) || isObject(spot))) return []
  const others = [...new Set(around.flatMap(namesIn))].filter((name) => name !== node.name)
  return instead('another variable', Math.min(0.35, 1 / Math.max(others.length, 1)), node, ...others)
}

const isObject = ({ node, around: [parent] }: Spot): boolean =>
  (parent?.type === 'MemberExpression' && parent.object === node) ||
  (parent?.type === 'UpdateExpression' && parent.argument === node)

/** Another property that is asked for somewhere in the same source. */
export const anotherProperty: Rule = (spot) => {
  const name = readProperty(spot)
  if (name === undefined) return []
  const others = new Set(spotsOf(spot.source).flatMap((other) => readProperty(other) ?? []))
  return instead('another property', 0.2, spot.node, ...[...others].filter((other) => other !== name))
}

/** The name of a property that is read, and not called. */
function readProperty({ node, around: [parent, grandparent] }: Spot): string | undefined {
  if (node.type !== 'Identifier' || parent?.type !== 'MemberExpression') return undefined
  const isCalled = grandparent?.type === 'CallExpression' && grandparent.callee === parent
  return parent.property === node && !parent.computed && !isCalled ? node.name : undefined
}

/** The names that a node declares for what is inside it. */
function namesIn(node: Node): readonly string[] {
  if ('params' in node && Array.isArray(node.params)) return node.params.flatMap(bound)
  if (node.type === 'BlockStatement' || node.type === 'Program') return node.body.flatMap(declared)
  if (node.type === 'ForStatement' && node.init) return declared(node.init)
  if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') return declared(node.left)
  return []
}

function declared(node: Node): readonly string[] {
  if (node.type === 'VariableDeclaration') return node.declarations.flatMap(({ id }) => bound(id))
  if (node.type === 'ExportNamedDeclaration' && node.declaration) return declared(node.declaration)
  return []
}

/** The names in a pattern: `{ a, b: [c] }` binds `a` and `c`. */
function bound(node: Node | null): readonly string[] {
  switch (node?.type) {
    case 'Identifier':
      return [node.name]
    case 'AssignmentPattern':
      return bound(node.left)
    case 'RestElement':
      return bound(node.argument)
    case 'ArrayPattern':
      return node.elements.flatMap(bound)
    case 'ObjectPattern':
      return node.properties.flatMap((property) => bound(property.type === 'RestElement' ? property : property.value))
    default:
      return []
  }
}
