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
 * Compares two YAML files by their values: comments, style, anchors and the order of keys do not count. A plain scalar has the
 * values that both YAML 1.1 and 1.2 give it, since files do not say which of them their reader knows.
 */
export const compareYaml: Comparator = treeComparator<DataNode>({
  parse: parseYaml,
  compare: (reference, actual, _rules, log) => compareData(reference, actual, log),
})

interface Reading {
  readonly lineOf: (node: Node) => number
  /** Anchors seen so far; `'open'` while the node they name is being read. */
  readonly anchors: Map<string, DataNode | 'open'>
  readonly heights: WeakMap<DataNode, number>
}

/** The only document of a YAML text, or a list of its documents. */
function parseYaml(text: string): DataNode {
  checkYamlSize(text)
  refuseOtherVersions(text)
  const lines = new LineCounter()
  // Repeated keys are looked for here: the parser's own search takes a time that grows with the square of the keys.
  const documents = parseAllDocuments(text, {
    version: '1.2',
    schema: 'core',
    intAsBigInt: true,
    uniqueKeys: false,
    // Pretty errors cost a search for the line each, and a hostile text has an error at every character.
    prettyErrors: false,
    logLevel: 'silent',
    lineCounter: lines,
  })
  const values = Array.from(documents, (document) => documentValue(document, lines))
  const [only = nothing(1)] = values
  return values.length > 1 ? { kind: 'list', tag: 'documents', items: values, line: 1 } : only
}

/** In YAML 1.1 `yes` is true, `010` is eight and `1:30` is ninety: its files are compared by their lines. */
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
  // Aliases make a tree deeper than its text looks.
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

/** How a scalar that both versions read alike cannot begin. */
const doubtful = /^[-+.\dYyNnOo]/
const oldTags = new Schema({ schema: 'yaml-1.1' }).tags
/** Decimal digits behind a zero, and exponents without a point or a sign: text in YAML 1.1, though many readers know better. */
const oldText = /^[-+]?(?:0[\d_]*[89][\d_]*|[\d_]+e[-+]?\d+|[\d_]*\.[\d_]*e\d+)$/i

/** What YAML 1.1 makes of a plain scalar; `undefined` for one that both versions read alike. */
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
  // A key of the mapping itself wins over a merged one, an earlier merged one over a later.
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

/** A key as text: a string as it is unless it could be taken for another value, anything else as JSON. */
function keyOf(key: DataNode): string {
  if (key.kind === 'scalar') return key.type === 'string' ? key.value : `(${key.type}) ${key.value}`
  const { line: _line, ...value } = key
  return JSON.stringify(value, (name, part: unknown) => {
    if (name === 'line' || name === 'shared' || name === 'source' || name === 'otherwise') return undefined
    return part instanceof Map ? [...part].sort() : part
  })
}

/** More than 70,000 short lines have; the parser needs a second for so many. */
const maxLexemes = 500_000

/**
 * Refuses a YAML text that is too large, or nested deeper than data may be, before the parser sees it: the parser calls itself
 * for every level, and near the end of the stack even its regular expressions can take the process down.
 */
export function checkYamlSize(text: string): void {
  const blocks = openBlocks()
  let place: Place = { line: 1, column: 0 }
  let flow = 0
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxLexemes) refuse(`more than ${maxLexemes} lexemes`, place.line)
    if (opens.has(lexeme)) flow++
    else if (closes.has(lexeme)) flow = Math.max(0, flow - 1)
    else if (flow === 0 && indicators.has(lexeme)) blocks.indicator(lexeme, place)
    else if (lexeme === '---') blocks.close()
    if (opens.has(lexeme) || indicators.has(lexeme)) checkDepth(blocks.depth() + flow, place.line)
    place = after(lexeme, place)
  }
}

const opens = new Set(['[', '{'])
const closes = new Set([']', '}'])
const indicators = new Set(['-', '?', ':'])
// The lexer's own marks for the start of a document, of a scalar, and of an error; they take no room.
const marks = new Set(['\u0002', '\u0018', '\u001f'])

interface Place {
  readonly line: number
  readonly column: number
  /** The column of the key that is being read on this line: of the first lexeme after the last indicator. */
  readonly key?: number
}

function after(lexeme: string, place: Place): Place {
  if (marks.has(lexeme)) return place
  const lastBreak = lexeme.lastIndexOf('\n')
  if (lastBreak >= 0) return { line: place.line + lexeme.split('\n').length - 1, column: lexeme.length - lastBreak - 1 }
  const column = place.column + lexeme.length
  const { line, key = lexeme.trim() === '' ? undefined : place.column } = place
  return key === undefined || indicators.has(lexeme) ? { line, column } : { line, column, key }
}

/** The block collections that are open at each column: a sequence, a mapping, or a sequence under a key beside it. */
function openBlocks() {
  const blocks: { readonly column: number; sequence: number; mapping: number }[] = []
  let depth = 0
  const closeDownTo = (column: number) => {
    for (let last = blocks.at(-1); last !== undefined && last.column > column; last = blocks.at(-1)) {
      depth -= last.sequence + last.mapping
      blocks.pop()
    }
  }
  return {
    depth: () => depth,
    close: () => closeDownTo(-1),
    indicator(lexeme: string, place: Place) {
      const column = lexeme === ':' ? (place.key ?? place.column) : place.column
      closeDownTo(column)
      const last = blocks.at(-1)
      const block = last?.column === column ? last : { column, sequence: 0, mapping: 0 }
      if (block !== last) blocks.push(block)
      depth -= block.sequence + block.mapping
      if (lexeme === '-') block.sequence = 1
      else block.mapping = 1
      depth += block.sequence + block.mapping
    },
  }
}
