import { pointer } from '@jurist/core/internal'
import { maxDepth } from '../comparator.js'
import { refuse } from '../compare-trees.js'
import { byCodeUnits, type DifferenceLog, differs, excerpts, missing, outOfOrder, unexpected } from '../difference.js'

/** Formats a place in a document as a member. */
export type NameOf = (place: readonly (string | number)[]) => string

interface Walk {
  readonly log: DifferenceLog
  readonly nameOf: NameOf
  /** Keys and indexes from the root to the current node. */
  readonly place: (string | number)[]
  /** Pairs of shared nodes that have been compared: a document of aliases is not walked once for each path. */
  readonly seen: Map<DataNode, Set<DataNode>>
}

/**
 * Writes every difference of two values to the log. Maps are compared key by key, lists index by index.
 *
 * @param nameOf formats members; default: JSON Pointer
 */
export function compareData(reference: DataNode, actual: DataNode, log: DifferenceLog, nameOf: NameOf = pointer): void {
  compareNodes(reference, actual, { log, nameOf, place: [], seen: new Map() })
}

function compareNodes(reference: DataNode, actual: DataNode, walk: Walk): void {
  if (!walk.log.step() || seenBefore(reference, actual, walk)) return
  if (reference.kind === 'map' && actual.kind === 'map' && reference.tag === actual.tag)
    compareMaps(reference, actual, walk)
  else if (reference.kind === 'list' && actual.kind === 'list' && reference.tag === actual.tag)
    if (reference.asSet === true && actual.asSet === true) compareSets(reference, actual, walk)
    else compareLists(reference, actual, walk)
  else if (!(reference.kind === 'scalar' && actual.kind === 'scalar' && sameScalar(reference, actual)))
    walk.log.add(differentNodes(reference, actual, walk))
}

function seenBefore(reference: DataNode, actual: DataNode, { seen }: Walk): boolean {
  if (reference.kind === 'scalar' || actual.kind === 'scalar') return false
  if (reference.shared !== true || actual.shared !== true) return false
  const partners = seen.get(reference) ?? new Set()
  if (partners.has(actual)) return true
  seen.set(reference, partners.add(actual))
  return false
}

function sameScalar(one: ScalarNode, other: ScalarNode): boolean {
  if (one.type !== other.type || one.value !== other.value) return false
  const [first, second] = [one.otherwise ?? one, other.otherwise ?? other]
  return first.type === second.type && first.value === second.value
}

function compareMaps(reference: MapNode, actual: MapNode, walk: Walk): void {
  for (const [key, expected] of reference.entries) {
    const found = actual.entries.get(key)
    if (found === undefined) reportMissing(key, expected, actual, walk)
    else within(key, walk, () => compareEntries(reference, actual, key, walk))
  }
  for (const [key, found] of actual.entries) if (!reference.entries.has(key)) reportUnexpected(key, found, walk)
  if (reference.keepsOrder === true && actual.keepsOrder === true) compareKeyOrder(reference, actual, walk)
}

/** Compares two values of one key. The key may be written in ways that versions of the format read differently. */
function compareEntries(reference: MapNode, actual: MapNode, key: string, walk: Walk): void {
  const [expected, found] = [reference.entries.get(key), actual.entries.get(key)]
  if (expected === undefined || found === undefined) return
  const same = (line: number): ScalarNode => ({ kind: 'scalar', type: 'string', value: key, line })
  const [wanted, present] = [reference.doubtfulKeys?.get(key), actual.doubtfulKeys?.get(key)]
  if (wanted !== undefined || present !== undefined)
    compareNodes(wanted ?? same(expected.line), present ?? same(found.line), walk)
  compareNodes(expected, found, walk)
}

function compareKeyOrder(reference: MapNode, actual: MapNode, { log, nameOf, place }: Walk): void {
  const expected = [...reference.entries.keys()].filter((key) => actual.entries.has(key))
  const found = [...actual.entries.keys()].filter((key) => reference.entries.has(key))
  const at = found.findIndex((key, index) => key !== expected[index])
  const element = found[at]
  if (element === undefined) return
  const line = actual.entries.get(element)?.line ?? null
  const referenceLine = reference.entries.get(element)?.line ?? null
  log.add(outOfOrder({ member: nameOf(place), element, line, referenceLine }))
}

function compareLists(reference: ListNode, actual: ListNode, walk: Walk): void {
  const length = Math.max(reference.items.length, actual.items.length)
  for (let index = 0; index < length && walk.log.step(); index++) {
    const expected = reference.items[index]
    const found = actual.items[index]
    if (expected === undefined) found && reportUnexpected(index, found, walk)
    else if (found === undefined) reportMissing(index, expected, actual, walk)
    else within(index, walk, () => compareNodes(expected, found, walk))
  }
}

function compareSets(reference: ListNode, actual: ListNode, walk: Walk): void {
  const expected = new Set(reference.items.map(textOf))
  const found = new Set(actual.items.map(textOf))
  for (const [index, item] of reference.items.entries())
    if (!found.has(textOf(item))) reportMissing(index, item, actual, walk)
  for (const [index, item] of actual.items.entries())
    if (!expected.has(textOf(item))) reportUnexpected(index, item, walk)
}

/** Returns the same string for two values exactly if they are equal. */
function textOf(node: DataNode): string {
  switch (node.kind) {
    case 'scalar':
      return JSON.stringify([node.type, node.value])
    case 'list':
      return JSON.stringify(node.items.map(textOf))
    case 'map':
      return JSON.stringify({ map: sorted(node.entries).map(([key, value]) => [key, textOf(value)]) })
    default:
      return node satisfies never
  }
}

function sorted(entries: ReadonlyMap<string, DataNode>): readonly (readonly [string, DataNode])[] {
  return [...entries].sort(([one], [other]) => byCodeUnits(one, other))
}

function within(step: string | number, { place }: Walk, run: () => void): void {
  place.push(step)
  run()
  place.pop()
}

function reportMissing(
  step: string | number,
  expected: DataNode,
  parent: DataNode,
  { log, nameOf, place }: Walk,
): void {
  const member = nameOf([...place, step])
  log.add(missing({ member, referenceLine: expected.line, enclosingLine: parent.line }))
}

function reportUnexpected(step: string | number, found: DataNode, { log, nameOf, place }: Walk): void {
  log.add(unexpected({ member: nameOf([...place, step]), line: found.line }))
}

function differentNodes(reference: DataNode, actual: DataNode, { log, nameOf, place }: Walk) {
  for (const node of [reference, actual])
    if (node.kind === 'scalar' && node.otherwise !== undefined) log.note(node.otherwise.note)
  const plain = isString(reference) && isString(actual)
  const sides = excerpts(shown(reference, plain), shown(actual, plain))
  return differs({ member: nameOf(place), line: actual.line, referenceLine: reference.line, ...sides })
}

function isString(node: DataNode): boolean {
  return node.kind === 'scalar' && node.type === 'string' && node.otherwise === undefined
}

/** Formats a value in a message: a string unquoted among strings, but quoted among other values. */
function shown(node: DataNode, plain: boolean): string {
  switch (node.kind) {
    case 'scalar':
      return isString(node) && !plain ? JSON.stringify(node.value) : (node.source ?? node.value)
    case 'list':
      return `${prefix(node.tag)}[${node.items.length === 0 ? '' : '…'}]`
    case 'map':
      return `${prefix(node.tag)}{${node.entries.size === 0 ? '' : '…'}}`
    default:
      return node satisfies never
  }
}

function prefix(tag: string | undefined): string {
  return tag === undefined ? '' : `${tag} `
}

/** A value of JSON, YAML or TOML. The line is that of its start. */
export type DataNode = ScalarNode | ListNode | MapNode

/** A value without parts. Two are equal if type and value are, in every version of the format. */
export interface ScalarNode {
  readonly kind: 'scalar'
  readonly type: string
  /** The canonical form of the value: `1e0` for 1, 1.0 and 1e0 if these are equal. */
  readonly value: string
  /** The source of the value, if `value` is hard to read. */
  readonly source?: string
  /** The value in another version of the format, if it differs. */
  readonly otherwise?: { readonly type: string; readonly value: string; readonly note: string }
  readonly line: number
}

export interface ListNode {
  readonly kind: 'list'
  readonly tag?: string
  readonly items: readonly DataNode[]
  /** Whether neither the order nor repetitions count. */
  readonly asSet?: boolean
  /** Whether two places of the document contain this very node. */
  readonly shared?: boolean
  readonly line: number
}

export interface MapNode {
  readonly kind: 'map'
  readonly tag?: string
  readonly entries: ReadonlyMap<string, DataNode>
  /** Keys that versions of the format read differently. */
  readonly doubtfulKeys?: ReadonlyMap<string, ScalarNode>
  /** Whether the order of the keys counts. */
  readonly keepsOrder?: boolean
  readonly shared?: boolean
  readonly line: number
}

/** Refuses data that is nested too deeply. */
export function checkDepth(depth: number, line: number): void {
  if (depth > maxDepth.data) refuse(`nested deeper than ${maxDepth.data} levels`, line)
}
