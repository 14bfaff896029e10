import { countUpTo, lineFinder, type TokenStream } from '../token-stream.js'
import { child, children, type ParsedScript, type ScriptToken, type SyntaxNode } from './parse-script.js'

/** The tokens of a script without matters of style, and a mapping from offsets to tokens. */
export interface ScriptStream extends TokenStream {
  /** Returns the first token at or after an offset. An inserted semicolon belongs to what it ends. */
  indexAt(offset: number): number
  /** The tokens that concern the whole file, wherever they are: pragmas and the line `#!…`. */
  readonly fileWide: ReadonlySet<number>
}

/**
 * Returns the tokens of a script in one style: strings by value, every semicolon written, no trailing comma, JSX text
 * as it is shown. Comments are dropped unless they are pragmas.
 */
export function scriptTokens({ source, tokens }: ParsedScript, facts: LayoutFacts): ScriptStream {
  const texts: string[] = []
  const starts: number[] = []
  const fileWide = new Set<number>()
  const add = (text: string, start: number) => {
    texts.push(text)
    starts.push(start)
  }
  for (const [index, token] of tokens.entries()) {
    const pragma = isComment(token) ? pragmaIn(String(token.value), token.type === 'CommentBlock') : undefined
    if (pragma !== undefined) {
      if (pragma.scope === 'file') fileWide.add(texts.length)
      add(pragma.text, token.start)
    }
    if (isComment(token) || labelOf(token) === 'eof' || facts.idle.has(token.start)) continue
    if (labelOf(token) === '#!...') fileWide.add(texts.length)
    const text = styleless(source, token, facts)
    if (text === '' || isIdlePunctuation(text, texts.at(-1), next(tokens, index), facts)) continue
    add(text, token.start)
    if (facts.ended.has(token.end) && text !== ';') add(';', token.start)
  }
  const lineAt = lineFinder(source)
  return {
    texts,
    fileWide,
    lineOf: (index) => lineAt(starts[index] ?? 0),
    indexAt: (offset) => countUpTo(starts, offset - 1),
  }
}

function isComment({ type }: ScriptToken): boolean {
  return type === 'CommentBlock' || type === 'CommentLine'
}

function labelOf({ type }: ScriptToken): string {
  return typeof type === 'string' ? type : type.label
}

function next(tokens: readonly ScriptToken[], index: number): ScriptToken | undefined {
  let at = index + 1
  for (let token = tokens[at]; token !== undefined && isComment(token); token = tokens[at]) at++
  return tokens[at]
}

function styleless(source: string, token: ScriptToken, facts: LayoutFacts): string {
  const written = source.slice(token.start, token.end)
  if (written === ',' && facts.separators.has(token.start)) return ';'
  const label = labelOf(token)
  if (label === 'jsxText') return shownJsxText(written)
  if (label !== 'string') return written
  return facts.directives.has(token.start) ? `'${written.slice(1, -1)}'` : JSON.stringify(token.value)
}

/** Whether a comma or semicolon before a closing bracket is only style. In `[1,,]`, it is a hole. */
function isIdlePunctuation(
  text: string,
  before: string | undefined,
  after: ScriptToken | undefined,
  facts: LayoutFacts,
): boolean {
  if (after === undefined) return false
  if (text === ';') return facts.mapped.has(after.start)
  const label = labelOf(after)
  if (text !== ',') return false
  if (label === ']') return before !== ',' && before !== '['
  return label === ')' || label === '}' || label === '</>/<=/>='
}

/**
 * Returns JSX text as it will be shown: inner line ends are trimmed, blank lines are dropped, and the rest is joined by
 * a space. Text on one line stays as it is. An empty string means that nothing is shown.
 */
function shownJsxText(text: string): string {
  const lines = text.split('\n')
  const last = lines.length - 1
  return lines
    .map((line, index) => trimmed(line, index > 0, index < last))
    .filter((line) => line !== '')
    .join(' ')
}

function trimmed(line: string, start: boolean, end: boolean): string {
  const begun = start ? line.replace(/^[ \t]+/, '') : line
  let length = begun.length
  while (end && length > 0 && ' \t'.includes(begun.charAt(length - 1))) length--
  return begun.slice(0, length)
}

/** A comment that instructs a tool: the instruction, and whether it applies to the whole file or the next line. */
interface Pragma {
  readonly text: string
  readonly scope: 'file' | 'next'
}

const typeScriptOrder = /^[ \t*/]*@(ts-(?:expect-error|ignore|nocheck))\b/m
const jsxOrder = /@(jsx(?:Frag|ImportSource|Runtime)?)\s+(\S+)/g

/**
 * Returns the pragma in a comment. `content` is the comment without its delimiters; explanations after the pragma do
 * not count.
 */
function pragmaIn(content: string, isBlock: boolean): Pragma | undefined {
  if (!content.includes('@')) return undefined
  const order = typeScriptOrder.exec(content)?.[1]
  if (order !== undefined) return { text: `@${order}`, scope: order === 'ts-nocheck' ? 'file' : 'next' }
  if (!isBlock) return undefined
  const orders = [...content.matchAll(jsxOrder)].map(([, name, value]) => `@${name} ${value}`)
  return orders.length === 0 ? undefined : { text: orders.join(' '), scope: 'file' }
}

/** Facts from the syntax tree about tokens that are a matter of style, by offsets in the source. */
interface LayoutFacts {
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
