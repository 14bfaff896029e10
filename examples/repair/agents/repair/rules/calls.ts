import { inserted, rangeOf, replaced, textOf } from '../syntax.js'
import type { Proposal, Rule } from './rule.js'
import { instead } from './rule.js'

/** Methods that are taken for each other. */
const families: readonly (readonly string[])[] = [
  ['floor', 'ceil', 'round', 'trunc'],
  ['min', 'max'],
  ['some', 'every'],
  ['map', 'flatMap'],
  ['filter', 'find'],
  ['find', 'findLast'],
  ['findIndex', 'findLastIndex'],
  ['indexOf', 'lastIndexOf'],
  ['includes', 'startsWith', 'endsWith'],
  ['push', 'unshift'],
  ['pop', 'shift'],
  ['slice', 'substring', 'splice'],
  ['replace', 'replaceAll'],
  ['reduce', 'reduceRight'],
  ['keys', 'values', 'entries'],
  ['toUpperCase', 'toLowerCase'],
  ['trim', 'trimStart', 'trimEnd'],
  ['padStart', 'padEnd'],
  ['charCodeAt', 'codePointAt'],
  ['all', 'allSettled', 'race', 'any'],
  ['getDate', 'getDay', 'getUTCDate'],
  ['getUTCDate', 'getUTCDay', 'getDate'],
  ['getMonth', 'getUTCMonth'],
  ['getFullYear', 'getUTCFullYear'],
  ['getHours', 'getUTCHours'],
  ['setDate', 'setUTCDate'],
  ['setMonth', 'setUTCMonth'],
  ['parseInt', 'parseFloat', 'Number'],
]

/** Another method of the same family: `ceil` for `floor`, `getUTCDate` for `getUTCDay`. */
export const anotherMethod: Rule = ({ node }) => {
  if (node.type !== 'CallExpression') return []
  const { callee } = node
  const name = callee.type === 'MemberExpression' && !callee.computed ? callee.property : callee
  if (name.type !== 'Identifier') return []
  const others = families.flatMap((family) => (family.includes(name.name) ? family : []))
  return [...new Set(others)]
    .filter((other) => other !== name.name)
    .flatMap((other) => instead('another method', 0.6, name, other))
}

/** Two neighbouring arguments or parameters change places. */
export const swappedArguments: Rule = ({ source, node }) => {
  const listed = 'arguments' in node && Array.isArray(node.arguments) ? node.arguments : []
  const named = 'params' in node && Array.isArray(node.params) ? node.params : []
  return [...listed, ...named].flatMap((left, index, all): readonly Proposal[] => {
    const right = all[index + 1]
    if (right === undefined) return []
    const edits = [replaced(left, textOf(source, right)), replaced(right, textOf(source, left))]
    return [{ rule: 'swapped arguments', prior: 0.4, edits }]
  })
}

/** One argument less, or no call at all: `f(x)` becomes `x`, `x.trim()` becomes `x`. */
export const lessOfACall: Rule = ({ source, node }) => {
  if (node.type !== 'CallExpression') return []
  const { callee, arguments: given } = node
  const [first] = given
  const last = given.at(-1)
  const from = given.at(-2)
  const shorter =
    last === undefined
      ? []
      : [{ start: rangeOf(from ?? last)[from ? 'end' : 'start'], end: rangeOf(last).end, text: '' }]
  return [
    ...shorter.map((edit) => ({ rule: 'one argument less', prior: 0.25, edits: [edit] })),
    ...(first === undefined ? [] : instead('no call', 0.2, node, textOf(source, first))),
    ...(callee.type === 'MemberExpression' ? instead('no call', 0.2, node, textOf(source, callee.object)) : []),
  ]
}

/** Waits for what is called, or does not. */
export const awaited: Rule = ({ source, node, around }) => {
  if (node.type === 'AwaitExpression') return instead('no await', 0.2, node, textOf(source, node.argument))
  if (node.type !== 'CallExpression' || around[0]?.type === 'AwaitExpression') return []
  const nearest = around.find((outer) => 'async' in outer && 'body' in outer)
  const isAsync = nearest !== undefined && 'async' in nearest && nearest.async === true
  return isAsync ? instead('await', 0.6, node, `(await ${textOf(source, node)})`) : []
}

/** Numbers in order of size: without a comparator, `sort` compares texts. */
export const numericOrder: Rule = ({ node }) => {
  if (node.type !== 'CallExpression' || node.arguments.length > 0) return []
  const { callee } = node
  const isSort =
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && /[sS]ort/.test(callee.property.name)
  if (!isSort) return []
  const at = rangeOf(node).end - 1
  return ['(a, b) => a - b', '(a, b) => b - a'].map((order) => ({
    rule: 'numeric order',
    prior: 0.7,
    edits: [inserted(at, order)],
  }))
}

/** Keeps a result that is thrown away: `list.filter(f)` becomes `return list.filter(f)` or `list = list.filter(f)`. */
export const keptResult: Rule = ({ source, node }) => {
  if (node.type !== 'ExpressionStatement' || node.expression.type !== 'CallExpression') return []
  const { callee } = node.expression
  const text = textOf(source, node)
  const object =
    callee.type === 'MemberExpression' && callee.object.type === 'Identifier' ? callee.object.name : undefined
  return instead(
    'a kept result',
    0.25,
    node,
    `return ${text}`,
    ...(object === undefined ? [] : [`${object} = ${text}`]),
  )
}
