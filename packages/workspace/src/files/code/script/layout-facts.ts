import { child, children, type SyntaxNode } from './parse-script.js'

/** Facts from the syntax tree about tokens that are a matter of style, by offsets in the source. */
export interface LayoutFacts {
  /** The ends of nodes that a semicolon ends. */
  readonly ended: ReadonlySet<number>
  /** The starts of tokens without meaning: leftover semicolons, JSX braces around a comment, the `|` before a union. */
  readonly idle: ReadonlySet<number>
  /** The starts of commas that mean semicolons: between members of a type. */
  readonly separators: ReadonlySet<number>
  /** The starts of directives, which are compared as they are written. */
  readonly directives: ReadonlySet<number>
  /** The starts of closing braces before which a semicolon has no meaning: those of mapped types. */
  readonly mapped: ReadonlySet<number>
}

/** Collects the facts node by node, parents first. */
interface LayoutCollector {
  readonly facts: LayoutFacts
  visit(node: SyntaxNode): void
}

export function layoutCollector(source: string): LayoutCollector {
  const ended = new Set<number>()
  const idle = new Set<number>()
  const separators = new Set<number>()
  const directives = new Set<number>()
  const mapped = new Set<number>()
  const heads = new Set<SyntaxNode>()

  function visit(node: SyntaxNode): void {
    for (const head of loopHeads(node)) heads.add(head)
    for (const empty of emptyStatements(node)) idle.add(empty.start)
    if (endsWithSemicolon(node) && !heads.has(node)) ended.add(node.end)
    if (node.type === 'TSInterfaceBody') for (const member of children(node, 'body')) separators.add(member.end - 1)
    if (node.type === 'TSTypeLiteral') for (const member of children(node, 'members')) separators.add(member.end - 1)
    if (node.type === 'DirectiveLiteral') directives.add(node.start)
    if (node.type === 'TSMappedType') mapped.add(node.end - 1)
    if (node.type === 'ClassBody') for (const offset of betweenElements(source, node)) idle.add(offset)
    if (beginsWithOperator(source, node)) idle.add(node.start)
    if (isJsxComment(node)) idle.add(node.start).add(node.end - 1)
  }
  return { facts: { ended, idle, separators, directives, mapped }, visit }
}

/** Whether a union or intersection also has the operator before its first type, as those with many lines often do. */
function beginsWithOperator(source: string, { type, start }: SyntaxNode): boolean {
  const isList = type === 'TSUnionType' || type === 'TSIntersectionType'
  return isList && (source[start] === '|' || source[start] === '&')
}

function isJsxComment(node: SyntaxNode): boolean {
  return node.type === 'JSXExpressionContainer' && child(node, 'expression')?.type === 'JSXEmptyExpression'
}

/** Returns the offsets of the semicolons between the elements of a class. Those in comments do no harm. */
function betweenElements(source: string, body: SyntaxNode): readonly number[] {
  const offsets: number[] = []
  let from = body.start
  for (const { start, end } of [...children(body, 'body'), { start: body.end, end: body.end }]) {
    for (let at = source.indexOf(';', from); at !== -1 && at < start; at = source.indexOf(';', at + 1)) offsets.push(at)
    from = end
  }
  return offsets
}

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

/** Whether a semicolon ends the node, written or not: statements, fields, members of interfaces. */
function endsWithSemicolon(node: SyntaxNode): boolean {
  if (alwaysEnded.has(node.type)) return true
  if (node.type === 'ExportNamedDeclaration') return child(node, 'declaration') === undefined
  if (node.type === 'ExportDefaultDeclaration') return !endedByItself.has(child(node, 'declaration')?.type ?? '')
  return node.type === 'TSModuleDeclaration' && child(node, 'body') === undefined
}

/** Returns the declarations in the head of a loop, which do not end with their own semicolon. */
function loopHeads(node: SyntaxNode): readonly SyntaxNode[] {
  if (!node.type.startsWith('For')) return []
  return [child(node, 'init'), child(node, 'left')].filter(
    (head) => head?.type === 'VariableDeclaration',
  ) as SyntaxNode[]
}

/** Returns the empty statements among the statements or elements of `node`: nothing but leftover semicolons. */
function emptyStatements(node: SyntaxNode): readonly SyntaxNode[] {
  return [...children(node, 'body'), ...children(node, 'consequent')].filter(({ type }) => type === 'EmptyStatement')
}
