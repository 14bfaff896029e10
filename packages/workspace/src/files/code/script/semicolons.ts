import type { SyntaxNode } from './syntax-node.js'
import { child, children } from './syntax-node.js'

const alwaysEnded: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'ReturnStatement',
  'ThrowStatement',
  'BreakStatement',
  'ContinueStatement',
  'DebuggerStatement',
  'DoWhileStatement',
  'Directive',
  'VariableDeclaration',
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ClassProperty',
  'ClassPrivateProperty',
  'ClassAccessorProperty',
  'TSDeclareMethod',
  'TSDeclareFunction',
  'TSTypeAliasDeclaration',
  'TSImportEqualsDeclaration',
  'TSExportAssignment',
  'TSNamespaceExportDeclaration',
  'TSPropertySignature',
  'TSMethodSignature',
  'TSCallSignatureDeclaration',
  'TSConstructSignatureDeclaration',
  'TSIndexSignature',
])

const endedByItself: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSDeclareFunction',
])

/** Whether the node is one that a semicolon ends, written or not: statements, fields, members of interfaces. */
export function endsWithSemicolon(node: SyntaxNode): boolean {
  if (alwaysEnded.has(node.type)) return true
  if (node.type === 'ExportNamedDeclaration') return child(node, 'declaration') === undefined
  if (node.type === 'ExportDefaultDeclaration') return !endedByItself.has(child(node, 'declaration')?.type ?? '')
  return node.type === 'TSModuleDeclaration' && child(node, 'body') === undefined
}

/** The declarations in the head of a loop, which no semicolon of their own ends. */
export function loopHeads(node: SyntaxNode): readonly SyntaxNode[] {
  if (!node.type.startsWith('For')) return []
  return [child(node, 'init'), child(node, 'left')].filter(
    (head) => head?.type === 'VariableDeclaration',
  ) as SyntaxNode[]
}

/** The empty statements among the statements or elements of `node`: nothing but leftover semicolons. */
export function emptyStatements(node: SyntaxNode): readonly SyntaxNode[] {
  return [...children(node, 'body'), ...children(node, 'consequent')].filter(({ type }) => type === 'EmptyStatement')
}
