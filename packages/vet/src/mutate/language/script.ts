import { parseScript, type ScriptNode, scriptChild, scriptChildren, walkScript } from '@jurist/workspace/internal'
import type { Construct, ReadSource, Span, Unreadable } from './construct.js'

const mostNodes = 500_000

export async function readScript(source: string, path: string): Promise<ReadSource | Unreadable> {
  const parsed = await parseScript(source, path)
  if ('message' in parsed)
    return { problem: `${parsed.message}${parsed.line === null ? '' : ` at line ${parsed.line}`}` }
  const constructs: Construct[] = []
  const functions: Span[] = []
  const idle = new Set<ScriptNode>()
  const count = walkScript(parsed.file, mostNodes, (node) => {
    if (isTypeOnly(node)) markBelow(node, idle)
    if (idle.has(node)) return
    for (const field of ['key', 'source']) {
      const name = scriptChild(node, field)
      if (name !== undefined && node['computed'] !== true) idle.add(name)
    }
    constructs.push(...constructsAt(node, source))
    if (/Function|Method/.test(node.type) && scriptChild(node, 'body') !== undefined) functions.push(spanOf(node))
  })
  if (count > mostNodes) return { problem: `more than ${mostNodes} nodes` }
  return { constructs, functions, normalForm: normalFormOf(parsed.file) }
}

/** Types do not exist at run time. */
function isTypeOnly({ type }: ScriptNode): boolean {
  return (
    type.startsWith('TS') &&
    !/^TS(?:As|Satisfies|NonNull|Instantiation)|^TSTypeAssertion$|^TSEnum|^TSModule|^TSExport|^TSParameterProperty/.test(
      type,
    )
  )
}

function markBelow(root: ScriptNode, idle: Set<ScriptNode>): void {
  walkScript(root, mostNodes, (node) => idle.add(node))
}

function spanOf({ start, end }: ScriptNode): Span {
  return { start, end }
}

function constructsAt(node: ScriptNode, source: string): readonly Construct[] {
  const tested = scriptChild(node, 'test')
  const condition: readonly Construct[] =
    tested !== undefined && node.type !== 'SwitchCase' && tested.type !== 'BooleanLiteral'
      ? [{ kind: 'condition', ...spanOf(tested), parts: [] }]
      : []
  const own = readers[node.type]?.(node, source)
  return own === undefined ? condition : [own, ...condition]
}

type Reader = (node: ScriptNode, source: string) => Construct | undefined

const infix =
  (kind: 'binary' | 'assignment'): Reader =>
  (node, source) => {
    const [left, right] = [scriptChild(node, 'left'), scriptChild(node, 'right')]
    const name = String(node['operator'])
    if (left === undefined || right === undefined) return undefined
    const start = source.indexOf(name, closed(source, left.end))
    if (start === -1 || start >= right.start) return undefined
    const nameAt = { start, end: start + name.length }
    return { kind, ...spanOf(node), name, nameAt, parts: [spanOf(left), spanOf(right)] }
  }

const prefix =
  (kind: 'unary' | 'update'): Reader =>
  (node) => {
    const operand = scriptChild(node, 'argument')
    const name = String(node['operator'])
    if (operand === undefined) return undefined
    const start = node['prefix'] === false ? node.end - name.length : node.start
    return { kind, ...spanOf(node), name, nameAt: { start, end: start + name.length }, parts: [spanOf(operand)] }
  }

const plain =
  (kind: Construct['kind']): Reader =>
  (node) => ({ kind, ...spanOf(node), parts: [] })

const call: Reader = (node) => {
  const callee = scriptChild(node, 'callee')
  const parts = scriptChildren(node, 'arguments').map(spanOf)
  if (callee?.type === 'Identifier')
    return {
      kind: 'call',
      ...spanOf(node),
      name: String(callee['name']),
      nameAt: spanOf(callee),
      parts,
      isMethod: false,
    }
  const [object, property] = [callee && scriptChild(callee, 'object'), callee && scriptChild(callee, 'property')]
  if (object === undefined || property?.type !== 'Identifier' || callee?.['computed'] === true) return undefined
  const method = { name: String(property['name']), nameAt: spanOf(property), isMethod: true }
  return { kind: 'call', ...spanOf(node), ...method, parts: [spanOf(object), ...parts] }
}

const removable: Reader = (node) => {
  const inside = scriptChild(node, 'expression')
  const isEffect = inside === undefined || /Call|Assignment|Update|Await|Yield|Delete|Unary/.test(inside.type)
  return isEffect ? { kind: 'statement', ...spanOf(node), parts: [] } : undefined
}

const readers: Readonly<Record<string, Reader>> = {
  ArrayExpression: (node) => ({
    kind: 'array',
    ...spanOf(node),
    parts: scriptChildren(node, 'elements').map(spanOf),
  }),
  AssignmentExpression: infix('assignment'),
  BinaryExpression: infix('binary'),
  BooleanLiteral: plain('boolean'),
  BreakStatement: plain('statement'),
  CallExpression: call,
  ContinueStatement: plain('statement'),
  ExpressionStatement: removable,
  LogicalExpression: infix('binary'),
  NumericLiteral: plain('number'),
  OptionalCallExpression: call,
  ReturnStatement(node) {
    const value = scriptChild(node, 'argument')
    return value && { kind: 'return', ...spanOf(node), parts: [spanOf(value)] }
  },
  StringLiteral: plain('text'),
  ThrowStatement: plain('statement'),
  UnaryExpression: prefix('unary'),
  UpdateExpression: prefix('update'),
}

/** Returns the end of the parentheses around the code that ends at `at`. Comments between them may contain anything. */
function closed(source: string, at: number): number {
  const comments = /(?:\s|\)|\/\*[\s\S]*?\*\/|\/\/[^\n]*)*/y
  comments.lastIndex = at
  comments.test(source)
  return comments.lastIndex
}

const layout: ReadonlySet<string> = new Set(['start', 'end', 'loc', 'extra', 'tokens', 'comments', 'errors', 'range'])

function normalFormOf(file: ScriptNode): string {
  return JSON.stringify(file['program'], (key, value) => {
    if (layout.has(key)) return undefined
    if (Array.isArray(value)) return value.filter((one) => one === null || one?.type !== 'EmptyStatement')
    return typeof value === 'bigint' ? String(value) : value
  })
}
