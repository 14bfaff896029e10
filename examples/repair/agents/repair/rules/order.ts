import type { Node } from '../syntax.js'
import { inserted, rangeOf, replaced, textOf } from '../syntax.js'
import type { Proposal, Rule } from './rule.js'
import { instead } from './rule.js'

/** A statement too much. */
export const noStatement: Rule = ({ node, around: [parent] }) => {
  const isRemovable = /^(Expression|If|Return|Break|Continue|Throw)/.test(node.type) && node.type.endsWith('Statement')
  if (!isRemovable || parent === undefined) return []
  return instead(
    'no statement',
    node.type === 'ExpressionStatement' ? 0.25 : 0.3,
    node,
    parent.type === 'BlockStatement' ? '' : '{}',
  )
}

/** Two neighbouring statements change places. */
export const swappedStatements: Rule = ({ source, node }) => {
  if (node.type !== 'BlockStatement') return []
  return node.body.flatMap((first, index): readonly Proposal[] => {
    const second = node.body[index + 1]
    if (second === undefined) return []
    const edits = [replaced(first, textOf(source, second)), replaced(second, textOf(source, first))]
    return [{ rule: 'swapped statements', prior: 0.25, edits }]
  })
}

/** The last statement of a loop or a branch belongs behind it. */
export const movedBehind: Rule = ({ source, node }) => {
  const body = bodyOf(node)
  const last = body?.body.at(-1)
  if (body === undefined || last === undefined || body.body.length < 2) return []
  const edits = [replaced(last, ''), inserted(rangeOf(node).end, `\n${textOf(source, last)}`)]
  return [{ rule: 'a statement moved', prior: 0.15, edits }]
}

/** The statement behind a loop or a branch belongs into it. */
export const movedInto: Rule = ({ source, node }) => {
  if (node.type !== 'BlockStatement') return []
  return node.body.flatMap((outer, index): readonly Proposal[] => {
    const next = node.body[index + 1]
    const body = bodyOf(outer)
    if (next === undefined || body === undefined) return []
    const edits = [inserted(rangeOf(body).end - 1, `${textOf(source, next)}\n`), replaced(next, '')]
    return [{ rule: 'a statement moved', prior: 0.15, edits }]
  })
}

function bodyOf(node: Node): Extract<Node, { type: 'BlockStatement' }> | undefined {
  const isLoop = /^(While|For|ForIn|ForOf)Statement$/.test(node.type)
  const body = node.type === 'IfStatement' ? node.consequent : isLoop && 'body' in node ? node.body : undefined
  return typeof body === 'object' && body !== null && 'type' in body && body.type === 'BlockStatement'
    ? body
    : undefined
}

/** One side of a choice alone, or the sides changed. */
export const anotherBranch: Rule = ({ source, node }) => {
  if (node.type !== 'ConditionalExpression' && node.type !== 'IfStatement') return []
  const { consequent, alternate } = node
  if (!alternate) return []
  const [yes, no] = [textOf(source, consequent), textOf(source, alternate)]
  return [
    { rule: 'swapped branches', prior: 0.3, edits: [replaced(consequent, no), replaced(alternate, yes)] },
    ...instead('one branch alone', 0.2, node, yes, no),
  ]
}

/** `break` for `continue`. */
export const anotherJump: Rule = ({ node }) => {
  if (node.type === 'BreakStatement') return instead('another jump', 0.3, node, 'continue')
  return node.type === 'ContinueStatement' ? instead('another jump', 0.3, node, 'break') : []
}
