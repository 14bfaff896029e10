/** A node of Babel's tree, as far as we read it: kinds differ in their fields, all have a place. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && typeof (value as { readonly type?: unknown }).type === 'string'
}

/** The node in a field; `undefined` when there is none. */
export function child(node: SyntaxNode, field: string): SyntaxNode | undefined {
  const value = node[field]
  return isNode(value) ? value : undefined
}

/** The nodes in a list field; holes left out. */
export function children(node: SyntaxNode, field: string): readonly SyntaxNode[] {
  const value = node[field]
  return Array.isArray(value) ? value.filter(isNode) : []
}

const notChildren: ReadonlySet<string> = new Set([
  'type',
  'start',
  'end',
  'loc',
  'extra',
  'tokens',
  'comments',
  'errors',
])

/**
 * Calls `visit` for the node and everything below it, parents first, without recursion. Returns how many nodes there
 * are; stops, and returns more than `limit`, when there are more than that.
 */
export function walk(root: SyntaxNode, limit: number, visit: (node: SyntaxNode) => void): number {
  const waiting: SyntaxNode[] = [root]
  let count = 0
  for (let node = waiting.pop(); node !== undefined && count <= limit; node = waiting.pop()) {
    count++
    visit(node)
    for (const field of Object.keys(node)) {
      if (notChildren.has(field)) continue
      const value = node[field]
      if (isNode(value)) waiting.push(value)
      else if (Array.isArray(value)) for (const element of value) if (isNode(element)) waiting.push(element)
    }
  }
  return count
}
