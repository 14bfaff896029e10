import { type Member, textOf } from '../declaration.js'
import { declarationIn, elementKeys, elementName, isFree, isMethod, nameOf, sortOf, typeMemberKey } from './names.js'
import { child, children, type SyntaxNode } from './parse-script.js'
import { elementParts, type ScriptStructure, statementParts, wholePart } from './structure.js'

/** Returns the statements of a file as members: declarations by name, everything else as `(module)`. */
export function moduleMembers(
  structure: ScriptStructure,
  program: SyntaxNode,
  ignoreImportOrder: boolean,
): readonly Member[] {
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
