import type { Edit, Node, Spot } from '../syntax.js'
import { replaced } from '../syntax.js'

/** A change that a person might have forgotten to make, or made by mistake. */
export interface Proposal {
  readonly rule: string
  /** How likely such a change is to be the repair, before anything is known of the program: 0 to 1. */
  readonly prior: number
  readonly edits: readonly Edit[]
}

/** Looks at one node and proposes changes. Most rules have nothing to say of most nodes. */
export type Rule = (spot: Spot) => readonly Proposal[]

/** The proposals to replace a node. */
export function instead(rule: string, prior: number, node: Node, ...texts: readonly string[]): readonly Proposal[] {
  return texts.map((text) => ({ rule, prior, edits: [replaced(node, text)] }))
}

/** Expressions that stand for a value and may be replaced by a longer one in brackets. */
export function isValue({ node, around: [parent] }: Spot): boolean {
  if (parent === undefined || !/^(Identifier|MemberExpression|CallExpression)$/.test(node.type)) return false
  switch (parent.type) {
    case 'MemberExpression':
      return parent.computed && parent.property === node
    case 'CallExpression':
    case 'NewExpression':
      return (parent.arguments as readonly Node[]).includes(node)
    case 'VariableDeclarator':
      return parent.init === node
    case 'AssignmentExpression':
      return parent.right === node
    case 'ForOfStatement':
      return parent.right === node
    case 'ArrowFunctionExpression':
      return parent.body === node
    case 'ObjectProperty':
      return parent.value === node && !parent.shorthand && parent.start !== node.start
    case 'ReturnStatement':
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'ConditionalExpression':
    case 'TemplateLiteral':
    case 'ArrayExpression':
      return true
    default:
      return false
  }
}
