import { rangeOf, textOf } from '../syntax.js'
import type { Rule } from './rule.js'
import { instead, isValue } from './rule.js'

/** A number next to this one, zero, one, or the negative. */
export const anotherNumber: Rule = ({ node }) => {
  if (node.type !== 'NumericLiteral') return []
  const near = [node.value + 1, node.value - 1]
  const far = [0, 1, 2, -node.value, node.value * 10, node.value / 10].filter(
    (value) => value !== node.value && !near.includes(value) && !Object.is(value, -0),
  )
  const written = (value: number): string => (value < 0 ? `(${value})` : String(value))
  return [
    ...instead('a number off by one', 0.7, node, ...near.map(written)),
    ...instead('another number', 0.25, node, ...far.map(written)),
  ]
}

/** One more or one less: `list[i]` becomes `list[i + 1]`, `i < n` becomes `i < n - 1`. */
export const oneMoreOrLess: Rule = (spot) => {
  const [parent] = spot.around
  if (!isValue(spot) || parent?.type === 'LogicalExpression' || parent?.type === 'ForOfStatement') return []
  const text = textOf(spot.source, spot.node)
  const isBound = parent?.type === 'BinaryExpression' || parent?.type === 'MemberExpression'
  return instead('one more or less', isBound ? 0.5 : 0.35, spot.node, `(${text} - 1)`, `(${text} + 1)`)
}

/** A whole expression that is one too large or too small. */
export const resultOffByOne: Rule = ({ source, node, around: [parent] }) => {
  if (node.type !== 'BinaryExpression' || !/^[-+*/%]$|^\*\*$/.test(node.operator)) return []
  if (parent?.type === 'BinaryExpression') return []
  const text = textOf(source, node)
  return instead('one more or less', 0.3, node, `(${text}) - 1`, `(${text}) + 1`)
}

/** The size of a difference, whatever its sign. */
export const absoluteValue: Rule = ({ source, node }) => {
  if (node.type !== 'BinaryExpression' || !/^[-%]$/.test(node.operator)) return []
  return instead('the absolute value', 0.3, node, `Math.abs(${textOf(source, node)})`)
}

/** The value of a variable without its sign, or a whole number of it. */
export const roundedValue: Rule = (spot) => {
  if (!isValue(spot) || spot.around[0]?.type !== 'BinaryExpression') return []
  const text = textOf(spot.source, spot.node)
  return instead('a rounded value', 0.1, spot.node, `Math.abs(${text})`, `Math.trunc(${text})`)
}

/** The other of two values. */
export const otherBoolean: Rule = ({ node }) =>
  node.type === 'BooleanLiteral' ? instead('the other boolean', 0.5, node, String(!node.value)) : []

/** A text that is empty, or a space. */
export const anotherText: Rule = ({ node, around: [parent] }) => {
  if (node.type !== 'StringLiteral' || parent?.type === 'ImportDeclaration') return []
  const texts = ['', ' ', node.value.trim(), node.value.toLowerCase(), node.value.toUpperCase()]
  const others = [...new Set(texts)].filter((text) => text !== node.value)
  return instead('another text', 0.2, node, ...others.map((text) => `'${text.replace(/['\\\n]/g, '\\$&')}'`))
}

/** A flag more or less, or `+` for `*`, in a regular expression. */
export const anotherPattern: Rule = ({ source, node }) => {
  if (node.type !== 'RegExpLiteral') return []
  const { pattern, flags } = node
  const flagged = ['g', 'i', 'm', 'u', 's'].map((flag) =>
    flags.includes(flag) ? flags.replace(flag, '') : flags + flag,
  )
  const { start } = rangeOf(node)
  const quantifiers = [...source.text.slice(start, start + pattern.length + 1).matchAll(/(?<=[\])\w.])[*+]/g)]
  return [
    ...instead('another flag', 0.5, node, ...flagged.map((letters) => `/${pattern}/${letters}`)),
    ...quantifiers.map(({ 0: sign, index }) => ({
      rule: 'another quantifier',
      prior: 0.3,
      edits: [{ start: start + index, end: start + index + 1, text: sign === '*' ? '+' : '*' }],
    })),
  ]
}
