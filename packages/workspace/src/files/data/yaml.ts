import { yamlSizeProblem } from '@jurist/kit/yaml-size'
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  type Scalar,
  Schema,
} from 'yaml'
import { quoted } from '../../quotation.js'
import type { Comparator } from '../comparator.js'
import { refuse, treeComparator } from '../compare-trees.js'
import { checkDepth, compareData, type DataNode, type ListNode, type MapNode, type ScalarNode } from './compare-data.js'

/**
 * Compares two YAML files by their values: comments, style, anchors and the order of keys do not count. A plain scalar
 * has its values in both YAML 1.1 and 1.2, since files do not state which version their reader uses.
 */
export const compareYaml: Comparator = treeComparator<DataNode>({
  parse: parseYaml,
  compare: (reference, actual, _rules, log) => compareData(reference, actual, log),
})

interface Reading {
  readonly lineOf: (node: Node) => number
  /** The anchors so far; `'open'` while their node is being read. */
  readonly anchors: Map<string, DataNode | 'open'>
  readonly heights: WeakMap<DataNode, number>
}

/** Parses the only document of a YAML file, or a list of its documents. */
function parseYaml(text: string): DataNode {
  const tooLarge = yamlSizeProblem(new Lexer().lex(text))
  if (tooLarge !== undefined) refuse(tooLarge.message, tooLarge.line)
  refuseOtherVersions(text)
  const lines = new LineCounter()
  // Repeated keys are found here: the parser's own search takes time that grows with the square of the number of keys.
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    uniqueKeys: false,
    // Pretty errors search for the line each time, and hostile input has an error at every character.
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  })
  const values = Array.from(documents, (document) => documentValue(document, lines))
  const [only = nothing(1)] = values
  return values.length > 1 ? { kind: 'list', tag: 'documents', items: values, line: 1 } : only
}

/** In YAML 1.1, `yes` is true, `010` is eight and `1:30` is ninety, so its files are compared by their lines. */
function refuseOtherVersions(text: string): void {
  const other = /^%YAML[ \t]+(?!1\.2(?:[ \t\r\n]|$))/m.exec(text)
  if (other !== null) refuse('only YAML 1.2 is read', text.slice(0, other.index).split('\n').length)
}

function documentValue(document: Document.Parsed<ParsedNode>, lines: LineCounter): DataNode {
  const [error] = document.errors
  if (error !== undefined) refuse(error.message.split('\n', 1)[0] ?? error.code, lines.linePos(error.pos[0]).line)
  const lineOf = (node: Node) => Math.max(1, lines.linePos(node.range?.[0] ?? 0).line)
  const reading = { lineOf, anchors: new Map(), heights: new WeakMap() }
  return document.contents === null ? nothing(1) : read(document.contents, reading)
}

function nothing(line: number): DataNode {
  return { kind: 'scalar', type: 'null', value: 'null', line }
}

function read(node: Node, reading: Reading): DataNode {
  if (isAlias(node)) return readAlias(node.source, node, reading)
  const { anchor } = node as { readonly anchor?: string }
  if (anchor !== undefined) reading.anchors.set(anchor, 'open')
  const value = readContent(node, reading, anchor !== undefined)
  if (anchor !== undefined) reading.anchors.set(anchor, value)
  return value
}

/** Reads each node once, however many aliases lead to it. */
function readAlias(name: string, node: Node, { anchors, lineOf }: Reading): DataNode {
  const value = anchors.get(name)
  if (value === undefined) return refuse(`the alias *${name} has no anchor`, lineOf(node))
  return value === 'open' ? refuse(`the alias *${name} is inside its own node`, lineOf(node)) : value
}

function readContent(node: Node, reading: Reading, shared: boolean): DataNode {
  const line = reading.lineOf(node)
  if (isScalar(node)) return readScalar(node, line)
  if (!isCollection(node)) return refuse('a node of an unknown kind', line)
  const value = isMap(node) ? readMap(node.items, reading, line) : readList(node.items, reading, line)
  const children = value.kind === 'map' ? [...value.entries.values()] : value.items
  const height = 1 + children.reduce((most, child) => Math.max(most, reading.heights.get(child) ?? 0), 0)
  // Aliases make a tree deeper than its source looks.
  checkDepth(height, line)
  const tagged = { ...value, ...(node.tag === undefined ? {} : { tag: node.tag }), ...(shared ? { shared } : {}) }
  reading.heights.set(tagged, height)
  return tagged
}

function readScalar(node: Scalar, line: number): DataNode {
  const { value, source, tag } = node
  const type = value === null ? 'null' : typeof value
  const text = typeof value === 'symbol' ? (source ?? '<<') : String(value)
  const known = tag === undefined || tag.startsWith('tag:yaml.org,2002:')
  const old = tag === undefined && node.type === 'PLAIN' && source !== undefined ? oldReading(source) : undefined
  if (old !== undefined && source !== undefined && (old.type !== type || old.value !== text)) {
    const note = `YAML 1.1 and 1.2 read ${quoted(source)} differently`
    const otherwise = { type: old.type, value: old.value, note }
    return { kind: 'scalar', type: type === 'symbol' ? 'string' : type, value: text, source, otherwise, line }
  }
  return {
    kind: 'scalar',
    type: known ? (type === 'symbol' ? 'string' : type) : tag,
    value: text,
    ...(type === 'number' && source !== undefined ? { source } : {}),
    line,
  }
}

/** Characters with which a scalar that both versions read alike cannot begin. */
const doubtful = /^[-+.\dYyNnOo]/
const oldTags = new Schema({ schema: 'yaml-1.1' }).tags
/**
 * Decimal digits after a zero, and exponents without a point or a sign: strings in YAML 1.1, though many readers treat
 * them as numbers.
 */
const oldText = /^[-+]?(?:0[\d_]*[89][\d_]*|[\d_]+e[-+]?\d+|[\d_]*\.[\d_]*e\d+)$/i

/** Returns the YAML 1.1 value of a plain scalar; `undefined` if both versions read it alike. */
function oldReading(source: string): { readonly type: string; readonly value: string } | undefined {
  if (!doubtful.test(source) || source.length > maxDoubtfulLength) return undefined
  const tag = oldText.test(source) ? undefined : oldTags.find((one) => one.default === true && one.test?.test(source))
  if (tag?.resolve === undefined) return { type: 'string', value: source }
  const value: unknown = (tag.resolve as (text: string, refuse: () => void, options: object) => unknown)(
    source,
    () => {},
    { intAsBigInt: true },
  )
  const plain = isScalar(value) ? value.value : value
  if (plain === null) return { type: 'null', value: 'null' }
  return plain instanceof Date
    ? { type: 'timestamp', value: plain.toJSON() }
    : { type: typeof plain, value: String(plain) }
}

/** No number, word or date of YAML 1.1 is longer. */
const maxDoubtfulLength = 1_000

function readList(items: readonly unknown[], reading: Reading, line: number): ListNode {
  return { kind: 'list', items: items.map((item) => readPart(item, reading, line)), line }
}

function readMap(
  items: readonly { readonly key: unknown; readonly value: unknown }[],
  reading: Reading,
  line: number,
): MapNode {
  const entries = new Map<string, DataNode>()
  const doubtfulKeys = new Map<string, ScalarNode>()
  const merged: DataNode[] = []
  for (const { key, value } of items) {
    const name = readPart(key, reading, line)
    const node = readPart(value, reading, name.line)
    if (isMergeKey(key)) merged.push(...(node.kind === 'list' ? node.items : [node]))
    else if (entries.has(keyOf(name))) refuse(`the key ${keyOf(name).slice(0, 80)} is repeated`, name.line)
    else entries.set(keyOf(name), node)
    if (name.kind === 'scalar' && name.otherwise !== undefined) doubtfulKeys.set(keyOf(name), name)
  }
  // A key of the mapping itself takes precedence over a merged one, an earlier merged one over a later.
  for (const source of merged) {
    if (source.kind !== 'map') return refuse('only mappings can be merged', source.line)
    for (const [name, node] of source.entries) if (!entries.has(name)) entries.set(name, node)
  }
  return { kind: 'map', entries, ...(doubtfulKeys.size === 0 ? {} : { doubtfulKeys }), line }
}

function readPart(part: unknown, reading: Reading, line: number): DataNode {
  return part === null || part === undefined ? nothing(line) : read(part as Node, reading)
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.source === '<<' && key.type === 'PLAIN'
}

/**
 * Returns a key as a string: strings stay as they are unless they could be taken for another value; anything else
 * becomes JSON.
 */
function keyOf(key: DataNode): string {
  if (key.kind === 'scalar') return key.type === 'string' ? key.value : `(${key.type}) ${key.value}`
  const { line: _line, ...value } = key
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === 'line' || name === 'shared' || name === 'source' || name === 'otherwise') return undefined
    return part instanceof Map ? [...part].sort() : part
  })
}
