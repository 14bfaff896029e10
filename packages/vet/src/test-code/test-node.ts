/**
 * A node of a test, alike for all languages that are read. Its parts by kind:
 * `assign`: target and value; `branch`: condition and bodies; `call`: callee and arguments; `check`: what it compares;
 * `import`: a `pair` for each name; `item`: object and key; `loop`: target, what it runs over, and body; `member`:
 * object; `pair`: value. Statements and parentheses that only hold others are a `block`.
 */
export interface TestNode {
  readonly kind:
    | 'assign'
    | 'block'
    | 'branch'
    | 'call'
    | 'check'
    | 'compare'
    | 'constant'
    | 'function'
    | 'import'
    | 'item'
    | 'list'
    | 'logic'
    | 'loop'
    | 'member'
    | 'name'
    | 'object'
    | 'operation'
    | 'pair'
    | 'raise'
    | 'template'
    | 'test'
    | 'text'
  readonly start: number
  readonly end: number
  /**
   * The name of a name, member, check, function or test; the key of a pair; the module of an import; the sign of a
   * comparison; the value of a string, and the last fixed part of a template.
   */
  readonly word: string
  readonly parts: readonly TestNode[]
  /** Of a test that never runs. */
  readonly idle?: 'skipped' | 'empty'
}

/** All nodes below a node and itself, in order. */
export function nodesIn(root: TestNode): readonly TestNode[] {
  const found: TestNode[] = []
  const waiting = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next)
    waiting.push(...next.parts.toReversed())
  }
  return found
}

/** The single conditions of a check, each with what it compares. */
export function conditionsOf(node: TestNode): readonly TestNode[] {
  if (node.kind === 'logic' || node.kind === 'block') return node.parts.flatMap(conditionsOf)
  const [only] = node.parts
  if (node.kind === 'check' && node.parts.length === 1 && /^(?:compare|logic|block)$/.test(only?.kind ?? ''))
    return node.parts.flatMap(conditionsOf)
  return [node]
}

/** A node of a syntax tree, whatever parser made it. */
interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** How the syntax trees of a language are read as tests. */
export interface TestGrammar<Node extends SyntaxNode> {
  /** The kind of a node by its type, and the fields that are its parts: all its children without them. Default: a block. */
  readonly forms: Readonly<Record<string, readonly [kind: TestNode['kind'], ...fields: string[]]>>
  /** Reads the types of nodes that a form does not describe. */
  readonly special: (reader: TestReader<Node>) => Readonly<Record<string, (node: Node) => TestNode>>
  readonly childrenOf: (node: Node) => readonly Node[]
  /** The nodes in a field. */
  readonly inField: (node: Node, field: string) => readonly Node[]
}

export interface TestReader<Node> {
  read(node: Node): TestNode
  all(nodes: readonly Node[]): readonly TestNode[]
  fields(node: Node, ...fields: readonly string[]): readonly TestNode[]
  /** The source of a node; empty without one. */
  text(node: Node | undefined): string
}

/** Reads syntax trees of a source as tests. */
export function testReader<Node extends SyntaxNode>(
  source: string,
  { forms, special, childrenOf, inField }: TestGrammar<Node>,
): TestReader<Node> {
  const all = (nodes: readonly Node[]) => nodes.map(read)
  const fields = (node: Node, ...names: readonly string[]) => all(names.flatMap((name) => inField(node, name)))
  const text = (node: Node | undefined) => (node === undefined ? '' : source.slice(node.start, node.end))
  const readers = special({ read, all, fields, text })
  function read(node: Node): TestNode {
    const own = readers[node.type]
    if (own !== undefined) return own(node)
    const [kind, ...names] = forms[node.type] ?? ['block' as const]
    if (kind === 'constant' || kind === 'name') return made(node, kind, text(node))
    return made(node, kind, '', names.length === 0 ? all(childrenOf(node)) : fields(node, ...names))
  }
  return { read, all, fields, text }
}

/** Makes the node of a test at the place of another one. */
export function made(
  { start, end }: Pick<TestNode, 'start' | 'end'>,
  kind: TestNode['kind'],
  word = '',
  parts: readonly TestNode[] = [],
): TestNode {
  return { kind, start, end, word, parts }
}

/** The name of what a node refers to, as it is written: `subprocess.run`. A call in it is `()`. */
export function nameOf(node: TestNode | undefined): string {
  if (node?.kind === 'member') return `${nameOf(node.parts[0])}.${node.word}`
  return node?.kind === 'call' ? `${nameOf(node.parts[0])}()` : (node?.word ?? '')
}
