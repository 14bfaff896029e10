import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * TypeScript as JavaScript of the same length: types become spaces, so that every line and column stays where it was.
 * Only what can be erased is understood; an enum or a namespace is refused.
 *
 * @param {string} source
 * @param {string} path decides the dialect
 * @returns {string}
 */
export function stripTypes(source, path) {
  if (!/\.[cm]?ts$/.test(path)) return source
  const { parse } = require('@babel/parser') // only when it is needed: it takes longer to load than most tests to run
  const { program } = parse(source, {
    sourceType: 'module',
    plugins: ['typescript'],
    createParenthesizedExpressions: true,
    attachComment: false,
  })
  const ranges = []
  visit(program, source, (from, to) => ranges.push([from, to]))
  const erased = source.split('')
  for (const [from, to] of ranges)
    for (let at = from; at < to; at++) if (erased[at] !== '\n' && erased[at] !== '\r') erased[at] = ' '
  return erased.join('')
}

const whole = new Set([
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSDeclareFunction',
  'TSDeclareMethod',
  'TSIndexSignature',
  'TSTypeAnnotation',
  'TSTypeParameterDeclaration',
  'TSTypeParameterInstantiation',
])

/** The part of a node that is only type; `undefined` when its children have to be looked at one by one. */
const partly = {
  TSAsExpression: (node) => [node.expression.end, node.end],
  TSSatisfiesExpression: (node) => [node.expression.end, node.end],
  TSNonNullExpression: (node) => [node.expression.end, node.end],
  TSTypeAssertion: (node) => [node.start, node.expression.start],
}

function visit(node, source, erase) {
  if (whole.has(node.type) || isTypeOnly(node)) return erase(...widened(node, source))
  const range = partly[node.type]?.(node)
  if (range !== undefined) erase(...range)
  else if (/^TS(Enum|Module|ParameterProp|ImportEquals|ExportAssign)/.test(node.type))
    throw new SyntaxError(`${node.type} at line ${node.loc.start.line} cannot be erased.`)
  if (node.optional && node.type === 'Identifier') erase(node.start + node.name.length, endOfMark(node, source))
  if (node.type.startsWith('Class')) eraseClassWords(node, source, erase)
  for (const child of childrenOf(node)) visit(child, source, erase)
}

function isTypeOnly(node) {
  if (node.importKind === 'type' || node.exportKind === 'type' || node.declare === true) return true
  if (node.type === 'Identifier') return node.name === 'this' && node.typeAnnotation !== undefined
  return node.type === 'ExportNamedDeclaration' && whole.has(node.declaration?.type)
}

/** A name in a list goes with the comma behind it. */
function widened({ type, start, end }, source) {
  const listed = type === 'ImportSpecifier' || type === 'ExportSpecifier' || type === 'Identifier'
  return [start, listed ? end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0) : end]
}

const endOfMark = (node, source) => source.indexOf('?', node.start + node.name.length) + 1

function eraseClassWords(node, source, erase) {
  if (node.implements?.length > 0)
    erase(source.lastIndexOf('implements', node.implements[0].start), node.implements.at(-1).end)
  const until = node.key?.start ?? node.body.start
  const words = /\b(public|private|protected|readonly|abstract|override)\b/g
  for (const word of source.slice(node.start, until).matchAll(words))
    erase(node.start + word.index, node.start + word.index + word[0].length)
  if (node.definite || (node.optional && node.key)) erase(node.key.end, node.key.end + 1)
}

function* childrenOf(node) {
  for (const [name, value] of Object.entries(node)) {
    if (name === 'loc' || name === 'implements') continue
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === 'string') yield child
  }
}
