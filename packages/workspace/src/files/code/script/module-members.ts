import type { Member } from '../declaration.js'
import { importedNames, withoutRepeatedImports } from './imports.js'
import { declarationIn, isFree, nameOf, sortOf } from './names.js'
import { withOverloadsJoined } from './overloads.js'
import { statementParts, wholePart } from './parts.js'
import type { ScriptStructure } from './structure.js'
import { child, children, type SyntaxNode } from './syntax-node.js'
import { classMembers, interfaceMembers } from './type-members.js'

/** The statements of a file as members: declarations by name, everything else as `(module)`. */
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

/** The key of a statement that declares one name or exports a default; `undefined` for any other. */
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
