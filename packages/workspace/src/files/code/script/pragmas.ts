/** A comment that is an order to a tool: what it orders, and whether the whole file or the next line obeys. */
interface Pragma {
  readonly text: string
  readonly scope: 'file' | 'next'
}

const typeScriptOrder = /^[ \t*/]*@(ts-(?:expect-error|ignore|nocheck))\b/m
const jsxOrder = /@(jsx(?:Frag|ImportSource|Runtime)?)\s+(\S+)/g

/**
 * The pragma in a comment, of which `content` is the text without its marks; explanations behind it do not count.
 *
 * @example
 * pragmaIn(' @ts-expect-error because', false) // { text: '@ts-expect-error', scope: 'next' }
 */
export function pragmaIn(content: string, isBlock: boolean): Pragma | undefined {
  if (!content.includes('@')) return undefined
  const order = typeScriptOrder.exec(content)?.[1]
  if (order !== undefined) return { text: `@${order}`, scope: order === 'ts-nocheck' ? 'file' : 'next' }
  if (!isBlock) return undefined
  const orders = [...content.matchAll(jsxOrder)].map(([, name, value]) => `@${name} ${value}`)
  return orders.length === 0 ? undefined : { text: orders.join(' '), scope: 'file' }
}
