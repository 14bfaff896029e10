import { type Finding, maxNodes, outOfTime, type Sources, type SyntaxProblem, type Unparsed } from '../../comparator.js'
import { declarationFinding } from '../compare-declarations.js'
import { type Group, type Item, type Member, type Part, textOf, type Unit } from '../declaration.js'
import { firstDifferentToken, problemNotes, type TokenStream, tokenFinding } from '../token-stream.js'
import { child, children, parseScript, type SyntaxNode, walk } from './parse-script.js'
import { layoutCollector, type ScriptStream, scriptTokens } from './script-tokens.js'

/** Returns the declaration in an export, or the statement itself. */
function declarationIn(statement: SyntaxNode): SyntaxNode {
  const exported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration'
  return (exported ? child(statement, 'declaration') : undefined) ?? statement
}

/** Returns the name that a function, class, interface, enum, type alias or namespace declares. */
function nameOf(declaration: SyntaxNode): string | undefined {
  const id = child(declaration, 'id')
  const name = id?.['name'] ?? id?.['value']
  return typeof name === 'string' ? name : undefined
}

const functions: ReadonlySet<string> = new Set(['FunctionDeclaration', 'TSDeclareFunction'])

/** Whether the order of a declaration among the statements of its block does not count. */
function isFree(declaration: SyntaxNode, kept: ReadonlySet<string>): boolean {
  const { type } = declaration
  if (functions.has(type)) return !kept.has(nameOf(declaration) ?? '')
  return type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration'
}

/** Returns the kind of a declaration. Declarations with the same name and sort belong together. */
function sortOf({ type }: SyntaxNode): string {
  return functions.has(type) ? 'function' : type
}

/**
 * Returns the key of a statement whose position in its block does not count.
 *
 * @param kept the names of functions whose position counts
 */
function statementKey(statement: SyntaxNode, kept: ReadonlySet<string>): string | undefined {
  const declaration = declarationIn(statement)
  return isFree(declaration, kept) ? `${sortOf(declaration)} ${nameOf(declaration) ?? 'default'}` : undefined
}

const methods: ReadonlySet<string> = new Set(['ClassMethod', 'ClassPrivateMethod', 'TSDeclareMethod'])

/** Whether a class element is a method or an accessor. */
function isMethod({ type }: SyntaxNode): boolean {
  return methods.has(type)
}

/**
 * Returns the key of a class element whose position does not count: an undecorated method or accessor with a plain
 * name.
 */
function elementKey(element: SyntaxNode): string | undefined {
  const decorated = Array.isArray(element['decorators']) && element['decorators'].length > 0
  return isMethod(element) && element['computed'] !== true && !decorated ? elementName(element) : undefined
}

/**
 * Returns a function for the elements of one class that returns the key of an element whose position does not count.
 * Two elements that write to one property keep their order, since the last one wins: a method and an accessor of one
 * name. A computed name may be equal to any other.
 */
function elementKeys(elements: readonly SyntaxNode[]): (element: SyntaxNode) => string | undefined {
  const methods = elements.filter(isMethod)
  const kinds = new Map<string, Set<string>>()
  for (const element of methods) {
    const known = kinds.get(slotOf(element)) ?? new Set()
    const sort = element['kind'] === 'get' || element['kind'] === 'set' ? 'accessor' : 'method'
    kinds.set(slotOf(element), known.add(elementKey(element) === undefined ? `fixed ${sort}` : sort))
  }
  const isOpen = methods.some((element) => element['computed'] === true && !isPlainKey(child(element, 'key')))
  return (element) => (isOpen || (kinds.get(slotOf(element))?.size ?? 0) > 1 ? undefined : elementKey(element))
}

/** Returns the property that a method or accessor writes to. */
function slotOf(element: SyntaxNode): string {
  const key = child(element, 'key')
  return `${element['static'] === true ? 'static ' : ''}${key === undefined ? '' : expressionName(key)}`
}

/** Whether a computed key has a known value: a literal, `Symbol.iterator`. */
function isPlainKey(key: SyntaxNode | undefined): boolean {
  const object = key && child(key, 'object')
  return key?.type.endsWith('Literal') === true || (object?.['name'] === 'Symbol' && key?.['computed'] !== true)
}

/** Returns the name of a class element or of a member of an interface: `static create`, `get size`, `#secret`. */
function elementName(element: SyntaxNode): string | undefined {
  const name = keyName(element)
  if (name === undefined) return undefined
  const kind = element['kind'] === 'get' || element['kind'] === 'set' ? `${element['kind']} ` : ''
  return `${element['static'] === true ? 'static ' : ''}${kind}${name}`
}

function keyName(element: SyntaxNode): string | undefined {
  const key = child(element, 'key')
  if (key === undefined) return undefined
  return element['computed'] === true ? `[${expressionName(key)}]` : expressionName(key)
}

/** Returns a key as a string: a name, a literal by its value, `Symbol.iterator`; anything else by its kind. */
function expressionName(key: SyntaxNode): string {
  if (key.type === 'PrivateName') return `#${child(key, 'id')?.['name']}`
  const [object, property] = [child(key, 'object'), child(key, 'property')]
  if (object !== undefined && property !== undefined) return `${expressionName(object)}.${expressionName(property)}`
  return String(key['name'] ?? key['value'] ?? key.type)
}

/**
 * Returns the key of a member of an interface or type literal. The order counts only among members with the same key.
 */
function typeMemberKey(member: SyntaxNode): string {
  if (member.type === 'TSCallSignatureDeclaration') return '()'
  if (member.type === 'TSConstructSignatureDeclaration') return 'new()'
  return elementName(member) ?? `[${indexType(member)}]`
}

/** Returns the kind of the type that an index signature is for. */
function indexType(member: SyntaxNode): string {
  const [parameter] = children(member, 'parameters')
  const annotation = parameter && child(parameter, 'typeAnnotation')
  return (annotation && child(annotation, 'typeAnnotation')?.type) ?? member.type
}

/** The names of functions declared in blocks, collected while a file is walked from the outside in. */
interface BlockFunctions {
  visit(node: SyntaxNode): void
  /**
   * Returns the names for a file that is not strict: there, such a function also writes to a variable outside its
   * block, when it is evaluated. In a module, and after `use strict`, a function belongs to its block and its position
   * does not count.
   */
  namesIn(program: SyntaxNode): ReadonlySet<string>
}

function blockFunctions(): BlockFunctions {
  const bodies = new Set<SyntaxNode>()
  const names = new Set<string>()
  const note = (statements: readonly (SyntaxNode | undefined)[]) => {
    for (const statement of statements)
      if (statement?.type === 'FunctionDeclaration') names.add(nameOf(statement) ?? '')
  }
  return {
    visit(node) {
      const body = child(node, 'body')
      if (/Function|Method/.test(node.type) && body !== undefined) bodies.add(body)
      if (node.type === 'BlockStatement' && !bodies.has(node)) note(children(node, 'body'))
      if (node.type === 'SwitchCase') note(children(node, 'consequent'))
      if (node.type === 'IfStatement') note([child(node, 'consequent'), child(node, 'alternate')])
      if (node.type === 'LabeledStatement') note([body])
    },
    namesIn(program) {
      const isStrict = children(program, 'directives').some((one) => child(one, 'value')?.['value'] === 'use strict')
      return program['sourceType'] === 'module' || isStrict ? new Set() : names
    },
  }
}

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
interface ScriptStructure {
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
function holdsRegion({ type }: SyntaxNode): boolean {
  return holders.has(type)
}

/**
 * Builds the structure of a file from its nodes with regions.
 *
 * @param kept the names of functions whose position counts
 */
function structureOf(stream: ScriptStream, nodes: readonly SyntaxNode[], kept: ReadonlySet<string>): ScriptStructure {
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
function statementParts(structure: ScriptStructure, statement: SyntaxNode, from: number, to: number): readonly Part[] {
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
function elementParts(structure: ScriptStructure, element: SyntaxNode, from: number, to: number): readonly Part[] {
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
function wholePart(structure: ScriptStructure, label: string, from: number, to: number): Part {
  return { kind: 'differs', label, items: structured(structure, from, to), end: to }
}

/** Returns the index of the first token from `from` that is one of `words`, or `to`. */
function find({ stream }: ScriptStructure, from: number, to: number, words: readonly string[]): number {
  for (let index = from; index < to; index++) if (words.includes(stream.texts[index] ?? '')) return index
  return to
}

/**
 * Compares two TypeScript or JavaScript files, including JSX, by tokens in one style and, if these differ, by
 * declarations. Quotes, semicolons, trailing commas and the order of functions, types and methods do not count.
 */
export async function compareScript({ reference, actual, path, rules, inTime }: Sources): Promise<Finding | Unparsed> {
  const expected = await readScript(reference, path)
  const found = await readScript(actual, path)
  if ('message' in expected || 'message' in found) {
    const problems = { reference: problemIn(expected), actual: problemIn(found) }
    return { by: 'nothing', notes: problemNotes(problems) }
  }
  if (firstDifferentToken(expected.stream, found.stream) === undefined)
    return { by: 'tokens', differences: [], notes: [] }
  if (!inTime()) return tokenFinding(expected.stream, found.stream, [outOfTime])
  const ignoreImportOrder = rules.ignoreImportOrder === true
  const sides = { reference: expected, actual: found }
  return declarationFinding(expected.stream, found.stream, '(module)', (side) => sides[side].members(ignoreImportOrder))
}

interface ReadScript {
  readonly stream: TokenStream
  members(ignoreImportOrder: boolean): readonly Member[]
}

function problemIn(side: ReadScript | SyntaxProblem): SyntaxProblem | undefined {
  return 'message' in side ? side : undefined
}

async function readScript(source: string, path: string | undefined): Promise<ReadScript | SyntaxProblem> {
  const script = await parseScript(source, path)
  if ('message' in script) return script
  const collector = layoutCollector(source)
  const holders: SyntaxNode[] = []
  const inBlocks = blockFunctions()
  const count = walk(script.file, maxNodes, (node) => {
    collector.visit(node)
    inBlocks.visit(node)
    if (holdsRegion(node)) holders.push(node)
  })
  if (count > maxNodes) return { message: `more than ${maxNodes} nodes`, line: null }
  const stream = scriptTokens(script, collector.facts)
  const program = child(script.file, 'program') ?? script.file
  const members = (ignoreImportOrder: boolean) => {
    return moduleMembers(structureOf(stream, holders, inBlocks.namesIn(program)), program, ignoreImportOrder)
  }
  return { stream, members }
}

/** Returns the statements of a file as members: declarations by name, everything else as `(module)`. */
function moduleMembers(structure: ScriptStructure, program: SyntaxNode, ignoreImportOrder: boolean): readonly Member[] {
  const { stream } = structure
  const members: Member[] = []
  let from = 0
  for (const statement of [...children(program, 'directives'), ...children(program, 'body')]) {
    if (statement.type === 'EmptyStatement') continue
    for (; stream.fileWide.has(from); from++) members.push(fileWideMember(structure, from))
    const to = stream.indexAt(statement.end)
    const names = ignoreImportOrder ? importedNames(structure, statement, from, to) : undefined
    members.push(...(names ?? [statementMember(structure, statement, from, to)]))
    from = to
  }
  for (; from < stream.texts.length; from++) members.push(fileWideMember(structure, from))
  const joined = withOverloadsJoined(members, ({ sort }) => sort === 'function')
  return withoutRepeatedImports(structure, joined)
}

function fileWideMember(structure: ScriptStructure, index: number): Member {
  const parts = [wholePart(structure, '', index, index + 1)]
  return { key: '(module)', sort: 'pragma', anonymous: true, first: index, last: index, parts }
}

function statementMember(structure: ScriptStructure, statement: SyntaxNode, from: number, to: number): Member {
  const place = { first: from, last: to - 1 }
  const declaration = declarationIn(statement)
  const key = statementName(statement, declaration)
  if (key === undefined) {
    const parts = [wholePart(structure, '', from, to)]
    const sort = statement.type === 'ImportDeclaration' ? 'import statement' : 'statement'
    return { key: '(module)', sort, anonymous: true, ...place, parts, sequence: 'statements' }
  }
  const body = child(declaration, 'body')
  const members =
    declaration.type === 'ClassDeclaration' && body !== undefined
      ? classMembers(structure, key, body)
      : declaration.type === 'TSInterfaceDeclaration' && body !== undefined
        ? interfaceMembers(structure, key, body)
        : undefined
  return {
    key,
    sort: sortOf(declaration),
    ...place,
    parts: statementParts(structure, statement, from, to),
    ...(isFree(declaration, structure.kept) ? {} : { sequence: 'statements' }),
    ...(members === undefined ? {} : { members }),
  }
}

const named: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'TSDeclareFunction',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSTypeAliasDeclaration',
  'TSEnumDeclaration',
  'TSModuleDeclaration',
])

/** Returns the key of a statement that declares one name or exports a default; `undefined` for any other. */
function statementName(statement: SyntaxNode, declaration: SyntaxNode): string | undefined {
  const name = named.has(declaration.type) ? nameOf(declaration) : variableName(declaration)
  return name ?? (statement.type === 'ExportDefaultDeclaration' ? 'default' : undefined)
}

function variableName(declaration: SyntaxNode): string | undefined {
  const [declarator, ...more] = children(declaration, 'declarations')
  const id =
    declaration.type === 'VariableDeclaration' && declarator !== undefined ? child(declarator, 'id') : undefined
  return more.length === 0 && id?.type === 'Identifier' ? String(id['name']) : undefined
}

/**
 * Splits an import into one member for each name, without a position, so that neither the order of imports nor their
 * grouping counts. An import for its effects alone has no name: `undefined`.
 */
function importedNames(
  structure: ScriptStructure,
  statement: SyntaxNode,
  from: number,
  to: number,
): readonly Member[] | undefined {
  const { stream } = structure
  const specifiers = children(statement, 'specifiers')
  const [first] = specifiers
  const last = specifiers.at(-1)
  if (statement.type !== 'ImportDeclaration' || first === undefined || last === undefined) return undefined
  const start = stream.indexAt(first.start)
  const open = stream.texts[start - 1] === '{' ? start - 1 : start
  const source = stream.texts.indexOf('from', stream.indexAt(last.end))
  return specifiers.map(({ type, start: begin, end }) => {
    const braces = type === 'ImportSpecifier' ? [source - 1] : []
    const name = wholePart(structure, '', stream.indexAt(begin), stream.indexAt(end)).items
    const items = [
      ...wholePart(structure, '', from, open).items,
      ...name,
      ...braces,
      ...wholePart(structure, '', source, to).items,
    ]
    const parts = [{ kind: 'differs', label: '', items, end: to }] as const
    return { key: '(module)', sort: 'import', anonymous: true, first: from, last: to - 1, parts }
  })
}

/** Removes repeated imports. */
function withoutRepeatedImports({ stream }: ScriptStructure, members: readonly Member[]): readonly Member[] {
  const seen = new Set<string>()
  return members.filter((member) => {
    if (member.sort !== 'import') return true
    const text = textOf(
      stream,
      member.parts.flatMap(({ items }) => items),
    )
    const isNew = !seen.has(text)
    seen.add(text)
    return isNew
  })
}

/** Returns the elements of the class `name`: methods and accessors in any order, everything else in its place. */
function classMembers(structure: ScriptStructure, name: string, body: SyntaxNode): readonly Member[] {
  const keyOf = elementKeys(children(body, 'body'))
  let blocks = 0
  const members = pieces(structure, body).map(({ node, from, to }): Member => {
    if (node.type === 'StaticBlock') blocks++
    const own = node.type === 'StaticBlock' ? `static{${blocks}}` : (elementName(node) ?? typeMemberKey(node))
    return {
      key: `${name}.${own}`,
      sort: isMethod(node) ? 'method' : 'field',
      first: from,
      last: to - 1,
      parts: elementParts(structure, node, from, to),
      ...(keyOf(node) === undefined ? { sequence: 'elements' } : {}),
    }
  })
  return withOverloadsJoined(members, ({ sort }) => sort === 'method')
}

/** Returns the members of the interface `name`. Their order counts only among members with the same name. */
function interfaceMembers(structure: ScriptStructure, name: string, body: SyntaxNode): readonly Member[] {
  const members = pieces(structure, body).map(({ node, from, to }): Member => {
    const key = `${name}.${typeMemberKey(node)}`
    return { key, first: from, last: to - 1, parts: [wholePart(structure, 'signature', from, to)] }
  })
  return withOverloadsJoined(members, () => true)
}

function pieces({ stream }: ScriptStructure, body: SyntaxNode) {
  let from = stream.indexAt(body.start) + 1
  return children(body, 'body').map((node) => {
    const to = stream.indexAt(node.end)
    const piece = { node, from, to }
    from = to
    return piece
  })
}

/**
 * Joins overloads and their implementation into one member, in their order. Everything else stays as it is.
 * `isOverloadable` tells which members may share a name.
 */
function withOverloadsJoined(
  members: readonly Member[],
  isOverloadable: (member: Member) => boolean,
): readonly Member[] {
  const joined = new Map<string, Member>()
  for (const [index, member] of members.entries()) {
    const identity = isOverloadable(member) ? `${member.sort}\0${member.key}` : String(index)
    const former = joined.get(identity)
    joined.set(identity, former === undefined ? member : join(former, member))
  }
  return [...joined.values()]
}

function join(former: Member, latter: Member): Member {
  const parts = former.parts.map((part, index) => {
    const more = latter.parts[index]
    return more === undefined ? part : { ...part, items: [...part.items, ...more.items], end: more.end }
  })
  return { ...former, last: latter.last, parts }
}
