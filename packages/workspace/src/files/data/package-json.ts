import type { Comparator } from '../comparator.js'
import type { DataNode } from './data-node.js'
import { jsonComparator, parseJson } from './json.js'

/** Compares two package.json files: as JSON, but conditions of exports are tried in order and keywords are a set. */
export const comparePackageJson: Comparator = jsonComparator(parsePackageJson)

const ordered = new Set(['exports', 'imports'])

function parsePackageJson(text: string): DataNode {
  const root = parseJson(text)
  if (root.kind !== 'map') return root
  const entries = [...root.entries].map(([key, value]) => [key, meantBy(key, value)] as const)
  return { ...root, entries: new Map(entries) }
}

function meantBy(key: string, value: DataNode): DataNode {
  if (ordered.has(key)) return keepingOrder(value)
  return key === 'keywords' && value.kind === 'list' ? { ...value, asSet: true } : value
}

function keepingOrder(node: DataNode): DataNode {
  switch (node.kind) {
    case 'scalar':
      return node
    case 'list':
      return { ...node, items: node.items.map(keepingOrder) }
    case 'map': {
      const entries = [...node.entries].map(([key, value]) => [key, keepingOrder(value)] as const)
      return { ...node, keepsOrder: true, entries: new Map(entries) }
    }
    default:
      return node satisfies never
  }
}
