import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser'
import type { Comparator } from '../comparator.js'
import { refuse, treeComparator } from '../compare-trees.js'
import { checkDepth, compareData, type DataNode } from './compare-data.js'

/** Compares two JSON documents: keys in any order, numbers by their exact value. */
export const compareJson: Comparator = jsonComparator(parseJson)

/** Does the same for JSON with comments and trailing commas. */
export const compareJsonc: Comparator = jsonComparator((text) => parseJson(text, { comments: true }))

/** Creates a comparator of JSON with a special parser. */
export function jsonComparator(parse: (text: string) => DataNode): Comparator {
  return treeComparator<DataNode>({
    parse: (text) => parse(text),
    compare: (reference, actual, _rules, log) => compareData(reference, actual, log),
  })
}

interface OpenNode {
  readonly line: number
  readonly entries?: Map<string, DataNode>
  readonly items?: DataNode[]
  key: string
}

/**
 * Parses a JSON document.
 *
 * @throws `SyntaxFault` for invalid JSON, a repeated key, and more than 256 levels
 */
export function parseJson(text: string, { comments = false }: { readonly comments?: boolean } = {}): DataNode {
  const open: OpenNode[] = []
  let root: DataNode | undefined
  const put = (node: DataNode) => {
    const parent = open.at(-1)
    if (parent === undefined) root = node
    else if (parent.items !== undefined) parent.items.push(node)
    else parent.entries?.set(parent.key, node)
  }
  const begin = (node: OpenNode) => checkDepth(open.push(node), node.line)
  const end = () => {
    const node = open.pop()
    if (node !== undefined) put(closed(node))
  }
  const visitor: JSONVisitor = {
    onObjectBegin: (_offset, _length, startLine) => begin({ line: startLine + 1, entries: new Map(), key: '' }),
    onArrayBegin: (_offset, _length, startLine) => begin({ line: startLine + 1, items: [], key: '' }),
    onObjectEnd: end,
    onArrayEnd: end,
    onObjectProperty: (name, _offset, _length, startLine) => {
      const parent = open.at(-1)
      if (parent?.entries?.has(name)) refuse(`the key ${JSON.stringify(name)} is repeated`, startLine + 1)
      if (parent !== undefined) parent.key = name
    },
    onLiteralValue: (value, offset, length, startLine) =>
      put(scalar(value, text.slice(offset, offset + length), startLine + 1)),
    onError: (code: ParseErrorCode, _offset, _length, startLine) => refuse(problemOf(code), startLine + 1),
  }
  visit(text, visitor, { disallowComments: !comments, allowTrailingComma: comments })
  return root ?? refuse('there is no value', 1)
}

function closed({ line, entries, items = [] }: OpenNode): DataNode {
  return entries === undefined ? { kind: 'list', items, line } : { kind: 'map', entries, line }
}

function scalar(value: unknown, source: string, line: number): DataNode {
  if (typeof value === 'string') return { kind: 'scalar', type: 'string', value, line }
  if (typeof value === 'number') return { kind: 'scalar', type: 'number', value: exactNumber(source), source, line }
  return { kind: 'scalar', type: 'word', value: source, line }
}

/** Returns `CommaExpected` as `comma expected`. */
function problemOf(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
}

/** Compares two package.json files: as JSON, but the conditions of exports are ordered, and the keywords are a set. */
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

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * Returns the canonical form of a decimal number's exact value: `1`, `1.0` and `10e-1` are `1e0`. Nothing is rounded.
 */
export function exactNumber(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(source) ?? []
  const digits = whole + fraction
  let start = 0
  while (start < digits.length && digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  const shift = digits.length - end - fraction.length
  return `${sign}${digits.slice(start, end)}e${sum(exponent, shift)}`
}

/** Adds a shift to an exponent. A huge exponent stays as it is written: BigInt would be slow. */
function sum(exponent: string, shift: number): string {
  if (exponent.length <= 15) return String(Number(exponent) + shift)
  return exponent.length <= 1_000 ? String(BigInt(exponent.replace('+', '')) + BigInt(shift)) : `${exponent}+${shift}`
}
