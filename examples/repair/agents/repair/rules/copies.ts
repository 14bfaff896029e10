import type { Node } from '../syntax.js'
import { textOf } from '../syntax.js'
import type { Rule } from './rule.js'
import { instead, isValue } from './rule.js'

const changing = /^(sort|reverse|splice|push|pop|shift|unshift|fill)$/

/** Changes a copy, where the original is changed: `list.sort()` becomes `[...list].sort()`. */
export const changedCopy: Rule = ({ source, node, around: [parent] }) => {
  if (parent?.type !== 'MemberExpression' || parent.object !== node || parent.property.type !== 'Identifier') return []
  return changing.test(parent.property.name) && isPlain(node)
    ? instead('a copy', 0.5, node, `[...${textOf(source, node)}]`)
    : []
}

/** Hands a copy on, where the thing itself is handed on. */
export const handedCopy: Rule = (spot) => {
  const [parent] = spot.around
  if (!isValue(spot) || !isPlain(spot.node)) return []
  if (parent === undefined || /^(Binary|Logical|Member|Conditional)/.test(parent.type)) return []
  const text = textOf(spot.source, spot.node)
  return instead('a copy', 0.3, spot.node, `[...${text}]`, `{ ...${text} }`)
}

const isPlain = ({ type }: Node): boolean => type === 'Identifier' || type === 'MemberExpression'

/** Characters as people count them: an emoji has a length of 2. */
export const wholeCharacters: Rule = ({ source, node, around: [parent] }) => {
  if (node.type !== 'Identifier' || parent?.type !== 'MemberExpression' || parent.object !== node) return []
  if (parent.property.type !== 'Identifier') return []
  const text = `[...${textOf(source, node)}]`
  if (parent.property.name === 'length') return instead('whole characters', 0.2, node, text)
  return []
}
