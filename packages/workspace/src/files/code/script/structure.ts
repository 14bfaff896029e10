import type { Group, Item, Part, Unit } from '../declaration.js'
import { declarationIn, elementKeys, statementKey, typeMemberKey } from './names.js'
import { child, children, type SyntaxNode } from './parse-script.js'
import type { ScriptStream } from './script-tokens.js'

/** A part of a file from a `{` up to its `}` in which the order of some elements does not count. */
interface Region {
  /** Its contents, in order. */
  readonly pieces: readonly SyntaxNode[]
  /** Returns the key of a piece whose position does not count; `undefined` for one that keeps its position. */
  readonly keyOf: (piece: SyntaxNode, text: string) => string | undefined
  /** The index of its `}`. */
  readonly close: number
}

/** The stream of a file, with its regions by the index of the `{` that opens them. */
export interface ScriptStructure {
  readonly stream: ScriptStream
  readonly regions: ReadonlyMap<number, Region>
  /** The names of functions whose position counts. */
  readonly kept: ReadonlySet<string>
}

const holders: ReadonlySet<string> = new Set([
  'BlockStatement',
  'StaticBlock',
  'TSModuleBlock',
  'ClassBody',
  'TSInterfaceBody',
  'TSTypeLiteral',
  'ImportDeclaration',
  'ExportNamedDeclaration',
])

/** Whether a node has a region: a block, the body of a class or interface, an import or export list. */
export function holdsRegion({ type }: SyntaxNode): boolean {
  return holders.has(type)
}

/**
 * Builds the structure of a file from its nodes with regions.
 *
 * @param kept the names of functions whose position counts
 */
export function structureOf(
  stream: ScriptStream,
  nodes: readonly SyntaxNode[],
  kept: ReadonlySet<string>,
): ScriptStructure {
  const regions = new Map<number, Region>()
  for (const node of nodes) {
    const isList = node.type === 'ImportDeclaration' || node.type === 'ExportNamedDeclaration'
    if (isList) addList(stream, regions, node)
    else {
      const open = stream.indexAt(node.start) + (node.type === 'StaticBlock' ? 1 : 0)
      regions.set(open, { ...contentOf(node, kept), close: stream.indexAt(node.end) - 1 })
    }
  }
  return { stream, regions, kept }
}

function contentOf(node: SyntaxNode, kept: ReadonlySet<string>): Omit<Region, 'close'> {
  const body = children(node, 'body')
  if (node.type === 'ClassBody') return { pieces: body, keyOf: elementKeys(body) }
  if (node.type === 'TSInterfaceBody') return { pieces: body, keyOf: typeMemberKey }
  if (node.type === 'TSTypeLiteral') return { pieces: children(node, 'members'), keyOf: typeMemberKey }
  return { pieces: [...children(node, 'directives'), ...body], keyOf: (piece) => statementKey(piece, kept) }
}

/** Adds the specifiers in the braces of an import or export. Each is its own key. */
function addList(stream: ScriptStream, regions: Map<number, Region>, node: SyntaxNode): void {
  const pieces = children(node, 'specifiers').filter(
    ({ type }) => type === 'ImportSpecifier' || type === 'ExportSpecifier',
  )
  const [first] = pieces
  const last = pieces.at(-1)
  if (first === undefined || last === undefined) return
  const open = stream.indexAt(first.start) - 1
  const close = stream.indexAt(last.end)
  if (stream.texts[open] === '{') regions.set(open, { pieces, keyOf: (_, text) => text, close })
}

/**
 * Returns the tokens from `from` to `to`. A region becomes what keeps its position, followed by a group of the rest.
 * Anything before a piece (a pragma) belongs to it.
 */
function structured(structure: ScriptStructure, from: number, to: number): readonly Item[] {
  const items: Item[] = []
  for (let index = from; index < to; ) {
    const region = structure.regions.get(index)
    items.push(index)
    index++
    if (region === undefined || region.close >= to) continue
    for (const item of regionItems(structure, region, index)) items.push(item)
    index = region.close
  }
  return items
}

function regionItems(structure: ScriptStructure, { pieces, keyOf, close }: Region, from: number): readonly Item[] {
  const { stream } = structure
  const items: Item[] = []
  const units: Unit[] = []
  let start = from
  for (const piece of pieces) {
    if (stream.texts[start] === ',') start++
    const end = Math.min(stream.indexAt(piece.end), close)
    const inside = structured(structure, start, end)
    const key = keyOf(piece, stream.texts.slice(start, end).join(' '))
    if (key === undefined) for (const item of inside) items.push(item)
    else units.push({ key, items: inside })
    start = end
  }
  const group: Group = { units }
  return [...items, group, ...structured(structure, start, close)]
}

/** A part of a statement or element and the index of its beginning. It ends where the next one begins. */
interface Cut {
  readonly label: string
  readonly from: number
}

/**
 * Returns the parts of the declaration from `from` to `to`, in the order of its `cuts`. Anything before them is the
 * header.
 */
function partsAt(structure: ScriptStructure, from: number, to: number, cuts: readonly Cut[]): readonly Part[] {
  return [{ label: 'header', from }, ...cuts].map(({ label, from: start }, index) => {
    const end = Math.max(start, cuts[index]?.from ?? to)
    const kind = label === 'header' ? 'header' : 'differs'
    return { kind, label, items: structured(structure, start, end), end }
  })
}

/**
 * Returns the parts of a named statement: only the header of a class or interface, since its members are compared
 * separately.
 */
export function statementParts(
  structure: ScriptStructure,
  statement: SyntaxNode,
  from: number,
  to: number,
): readonly Part[] {
  const { stream } = structure
  const declaration = declarationIn(statement)
  const body = child(declaration, 'body')
  const bodyAt = body === undefined ? to : stream.indexAt(body.start)
  const keyword = (words: readonly string[]) => find(structure, stream.indexAt(declaration.start), to, words)
  switch (declaration.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return partsAt(structure, from, to, [
        { label: 'signature', from: keyword(['function']) },
        { label: 'body', from: bodyAt },
      ])
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
      return partsAt(structure, from, bodyAt, [])
    case 'TSEnumDeclaration':
      return partsAt(structure, from, to, [{ label: 'body', from: keyword(['{']) }])
    case 'TSModuleDeclaration':
      return partsAt(structure, from, to, [{ label: 'body', from: bodyAt }])
    case 'TSTypeAliasDeclaration':
      return partsAt(structure, from, to, [{ label: 'value', from: keyword(['type']) }])
    case 'VariableDeclaration':
      return variableParts(structure, declaration, from, to)
    default:
      return partsAt(structure, from, to, [{ label: 'value', from: find(structure, from, to, ['default']) + 1 }])
  }
}

function variableParts(structure: ScriptStructure, declaration: SyntaxNode, from: number, to: number) {
  const start = structure.stream.indexAt(declaration.start)
  const keyword = structure.stream.texts[start] === 'declare' ? start + 1 : start
  const [declarator] = children(declaration, 'declarations')
  const name = declarator && child(declarator, 'id')
  const assigned = find(structure, structure.stream.indexAt(name?.end ?? declaration.end), to, ['='])
  return partsAt(structure, from, to, [
    { label: 'signature', from: keyword },
    { label: 'initializer', from: assigned },
  ])
}

/** Returns the parts of a method, accessor or field. Any other class element is one part. */
export function elementParts(
  structure: ScriptStructure,
  element: SyntaxNode,
  from: number,
  to: number,
): readonly Part[] {
  const { stream } = structure
  const key = child(element, 'key')
  if (key === undefined) return [wholePart(structure, 'body', from, to)]
  const name = stream.indexAt(key.start) - (element['computed'] === true ? 1 : 0)
  const body = child(element, 'body')
  const annotation = child(element, 'typeAnnotation')
  const isField = element.type.endsWith('Property')
  const rest = isField
    ? find(structure, stream.indexAt(annotation?.end ?? key.end), to, ['='])
    : body === undefined
      ? to
      : stream.indexAt(body.start)
  return partsAt(structure, from, to, [
    { label: 'signature', from: name },
    { label: isField ? 'initializer' : 'body', from: rest },
  ])
}

/** Returns everything from `from` to `to` as one part. */
export function wholePart(structure: ScriptStructure, label: string, from: number, to: number): Part {
  return { kind: 'differs', label, items: structured(structure, from, to), end: to }
}

/** Returns the index of the first token from `from` that is one of `words`, or `to`. */
function find({ stream }: ScriptStructure, from: number, to: number, words: readonly string[]): number {
  for (let index = from; index < to; index++) if (words.includes(stream.texts[index] ?? '')) return index
  return to
}
