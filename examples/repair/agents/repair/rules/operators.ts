import type { Node, Source } from '../syntax.js'
import { inserted, rangeOf, replaced, textOf } from '../syntax.js'
import type { Proposal, Rule } from './rule.js'
import { instead } from './rule.js'

/** What each operator is mistaken for, with how often. */
const mistakenFor: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '<': { '<=': 1, '>': 0.5, '>=': 0.3 },
  '<=': { '<': 1, '>=': 0.5, '>': 0.3 },
  '>': { '>=': 1, '<': 0.5, '<=': 0.3 },
  '>=': { '>': 1, '<=': 0.5, '<': 0.3 },
  '==': { '!=': 0.6, '>=': 0.3, '<=': 0.3, '===': 0.2 },
  '!=': { '==': 0.6, '!==': 0.2 },
  '===': { '!==': 0.6, '>=': 0.3, '<=': 0.3, '<': 0.2, '>': 0.2 },
  '!==': { '===': 0.6, '<': 0.2, '>': 0.2 },
  '+': { '-': 0.6, '*': 0.3 },
  '-': { '+': 0.6, '*': 0.2, '/': 0.2, '%': 0.2 },
  '*': { '/': 0.5, '+': 0.3, '**': 0.3, '-': 0.2 },
  '/': { '*': 0.5, '%': 0.4, '-': 0.2 },
  '%': { '/': 0.4, '*': 0.2 },
  '**': { '*': 0.4 },
  '&&': { '||': 0.8 },
  '||': { '&&': 0.8, '??': 0.8 },
  '??': { '||': 0.6 },
  '+=': { '-=': 0.5, '=': 0.4, '*=': 0.3 },
  '-=': { '+=': 0.5, '=': 0.3 },
  '*=': { '/=': 0.4, '+=': 0.4, '=': 0.2 },
  '/=': { '*=': 0.4 },
  '=': { '+=': 0.2, '-=': 0.1, '??=': 0.1 },
  '++': { '--': 0.4 },
  '--': { '++': 0.4 },
  '&': { '|': 0.4, '^': 0.2 },
  '|': { '&': 0.4, '^': 0.2 },
  '>>': { '<<': 0.4, '>>>': 0.4 },
  '<<': { '>>': 0.4 },
}

/** Another operator: `<` for `<=`, `&&` for `||`, `+` for `-`. */
export const anotherOperator: Rule = ({ source, node }) => {
  if (!('operator' in node) || typeof node.operator !== 'string') return []
  const at = operatorAt(source, node, node.operator)
  if (at === undefined) return []
  return Object.entries(mistakenFor[node.operator] ?? {}).map(([operator, prior]) => ({
    rule: 'another operator',
    prior,
    edits: [{ start: at, end: at + String(node.operator).length, text: operator }],
  }))
}

function operatorAt({ text }: Source, node: Node, operator: string): number | undefined {
  const left = 'left' in node ? node.left : undefined
  const from = typeof left === 'object' ? rangeOf(left).end : rangeOf(node).start
  const at = text.indexOf(operator, from)
  return at < 0 || at >= rangeOf(node).end ? undefined : at
}

/** One operand alone: `a && b` becomes `a`. */
export const oneOperand: Rule = ({ source, node }) => {
  if (node.type !== 'BinaryExpression' && node.type !== 'LogicalExpression') return []
  return instead('one operand alone', 0.4, node, textOf(source, node.left), textOf(source, node.right))
}

/** The operands change places, where that matters: `a - b` becomes `b - a`. */
export const swappedOperands: Rule = ({ source, node }) => {
  if (node.type !== 'BinaryExpression' || !/^[-/%+]$|^\*\*$/.test(node.operator)) return []
  const edits = [replaced(node.left, textOf(source, node.right)), replaced(node.right, textOf(source, node.left))]
  return [{ rule: 'swapped operands', prior: node.operator === '+' ? 0.15 : 0.4, edits }]
}

/** A `!` or a minus sign too much. */
export const noSign: Rule = ({ source, node }) => {
  if (node.type !== 'UnaryExpression' || !/^[-!+~]$/.test(node.operator)) return []
  return instead('no sign', 0.5, node, textOf(source, node.argument))
}

/** The opposite of a condition, or no condition at all. */
export const anotherCondition: Rule = ({ node }) => {
  const test = 'test' in node && typeof node.test === 'object' ? node.test : undefined
  if (test === undefined || test === null || test.type === 'UnaryExpression') return []
  const { start, end } = rangeOf(test)
  const negated: Proposal = {
    rule: 'the opposite condition',
    prior: 0.4,
    edits: [inserted(start, '!('), inserted(end, ')')],
  }
  return [negated, ...instead('no condition', 0.15, test, 'true', 'false')]
}
