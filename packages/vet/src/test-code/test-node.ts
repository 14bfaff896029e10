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
