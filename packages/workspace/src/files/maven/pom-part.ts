import { escaped } from '../../quotation.js'
import { differs, missing, outOfOrder, unexpected } from '../difference.js'
import { excerpts } from '../text.js'
import { compareElements, type XmlComparison } from '../xml/compare-xml.js'
import { childrenOf, type XmlElement } from '../xml/read-xml.js'

/** A part of a project model, compared in its own way. Lines are those of start tags. */
export type PomPart = PomValue | PomGroup | PomSequence | PomTree

/** A string, or the default of an absent one. */
interface PomValue {
  readonly kind: 'value'
  readonly text: string
  readonly line: number
}

/** Parts by key. Their order does not count unless it is kept. */
export interface PomGroup {
  readonly kind: 'group'
  readonly parts: ReadonlyMap<string, PomPart>
  readonly line: number
  readonly keepsOrder?: boolean
  /** Whether it only contains its parts, so that an absent one equals an empty one. */
  readonly isContainer?: boolean
  /** Keys that the workspace may have although the reference does not. */
  readonly allowed?: ReadonlySet<string>
}

/** Names whose order counts. With `common`, only the order of those on both sides counts. */
export interface PomSequence {
  readonly kind: 'sequence'
  readonly names: readonly { readonly name: string; readonly line: number }[]
  readonly line: number
  readonly common?: boolean
}

/** An element compared as plain XML. */
interface PomTree {
  readonly kind: 'tree'
  readonly element: XmlElement
  readonly line: number
}

/** Writes every difference of two parts to the log. */
export function comparePart(reference: PomPart, actual: PomPart, member: string, comparison: XmlComparison): void {
  const { log } = comparison
  if (!log.step()) return
  if (reference.kind === 'group' && actual.kind === 'group') compareGroups(reference, actual, member, comparison)
  else if (reference.kind === 'tree' && actual.kind === 'tree')
    compareElements(reference.element, actual.element, member, comparison)
  else if (isOrder(reference) && isOrder(actual)) compareOrder(reference.names, actual.names, member, comparison)
  else if (reference.kind === 'sequence' && actual.kind === 'sequence')
    compareSequences(reference, actual, member, comparison)
  else if (!(reference.kind === 'value' && actual.kind === 'value' && reference.text === actual.text)) {
    const [expected, found] = excerpts(shown(reference), shown(actual))
    log.add(differs({ member, line: actual.line, referenceLine: reference.line, expected, found }))
  }
}

function compareGroups(reference: PomGroup, actual: PomGroup, member: string, comparison: XmlComparison): void {
  const { log } = comparison
  const nameOf = (key: string) => `${member === '' ? '' : `${member}/`}${escaped(key)}`
  for (const [key, expected] of reference.parts) {
    const found = actual.parts.get(key) ?? emptied(expected, actual.line)
    if (found !== undefined) comparePart(expected, found, nameOf(key), comparison)
    else if (!isOrder(expected))
      log.add(missing({ member: nameOf(key), referenceLine: expected.line, enclosingLine: actual.line }))
  }
  for (const [key, found] of actual.parts) {
    if (reference.parts.has(key) || reference.allowed?.has(key) === true || isOrder(found)) continue
    const empty = emptied(found, reference.line)
    if (empty === undefined) log.add(unexpected({ member: nameOf(key), line: found.line }))
    else comparePart(empty, found, nameOf(key), comparison)
  }
  if (reference.keepsOrder === true) compareOrder(namesOf(reference), namesOf(actual), member, comparison)
}

/** Represents an absent container, so that each of its parts is missing or unexpected. */
function emptied(part: PomPart, line: number): PomGroup | undefined {
  return part.kind === 'group' && part.isContainer === true ? { ...part, parts: new Map(), line } : undefined
}

function isOrder(part: PomPart): part is PomSequence {
  return part.kind === 'sequence' && part.common === true
}

type Names = PomSequence['names']

function namesOf({ parts }: PomGroup): Names {
  return [...parts].map(([name, { line }]) => ({ name, line }))
}

function compareSequences(
  reference: PomSequence,
  actual: PomSequence,
  member: string,
  comparison: XmlComparison,
): void {
  const at = actual.names.findIndex(({ name }, index) => name !== reference.names[index]?.name)
  if (at < 0 && reference.names.length === actual.names.length) return
  const [expected, found] = excerpts(shown(reference), shown(actual))
  comparison.log.add(differs({ member, line: actual.line, referenceLine: reference.line, expected, found }))
}

/** Compares the order of what both sides have. */
function compareOrder(reference: Names, actual: Names, member: string, { log }: XmlComparison): void {
  const present = new Set(actual.map(({ name }) => name))
  const wanted = new Set(reference.map(({ name }) => name))
  const expected = reference.filter(({ name }) => present.has(name))
  const found = actual.filter(({ name }) => wanted.has(name))
  const at = found.findIndex(({ name }, index) => name !== expected[index]?.name)
  const [here, there] = [found[at], expected[at]]
  if (here === undefined || there === undefined) return
  log.add(outOfOrder({ member, element: here.name, line: here.line, referenceLine: there.line }))
}

function shown(part: PomPart): string {
  switch (part.kind) {
    case 'value':
      return part.text
    case 'sequence':
      return part.names.map(({ name }) => name).join(' ')
    case 'tree':
      return `<${part.element.name}>`
    case 'group':
      return '{…}'
    default:
      return part satisfies never
  }
}

/** Receives remarks that are not differences. */
export type Note = (text: string) => void

/** Returns the first child with that name. */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element && childrenOf(element).find((candidate) => candidate.name === name)
}

/** Returns the trimmed text of the child with that name. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return child(element, name)?.ownText
}

/** Returns an element as a value if it is one, otherwise as a tree. */
export function plainPart(element: XmlElement): PomPart {
  const isValue = childrenOf(element).length === 0 && element.attributes.size === 0
  return isValue
    ? { kind: 'value', text: element.ownText, line: element.line }
    : { kind: 'tree', element, line: element.line }
}

/** Compares an element as plain XML, even if it contains only text. */
export function treePart(element: XmlElement): PomPart {
  return { kind: 'tree', element, line: element.line }
}

/** Returns the children of an element by the keys that `keyOf` returns. */
export function listOf(
  element: XmlElement,
  keyOf: (entry: XmlElement) => string,
  partOf: (entry: XmlElement) => PomPart,
  note: Note,
): PomGroup {
  const entries = childrenOf(element).map((entry) => [keyOf(entry), partOf(entry)] as const)
  return { kind: 'group', parts: keyed(entries, note), line: element.line, isContainer: true }
}

/** Returns parts by key. All parts with a repeated key are kept, as `key#2`, `key#3`. */
function keyed(entries: readonly (readonly [string, PomPart])[], note: Note): ReadonlyMap<string, PomPart> {
  const parts = new Map<string, PomPart>()
  const counts = new Map<string, number>()
  for (const [key, part] of entries) {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count > 1) note(`${key} is declared twice`)
    parts.set(count > 1 ? `${key}#${count}` : key, part)
  }
  return parts
}

/** How the children of an element are read, by name. Others become trees. */
export type Readers = { readonly [name: string]: ((element: XmlElement) => PomPart) | 'ignored' }

/** Reads an element whose children have known names. Defaults replace absent children. */
export function recordOf(
  element: XmlElement,
  options: {
    readonly readers?: Readers
    /** The children that are plain strings. */
    readonly values?: readonly string[]
    readonly defaults?: { readonly [name: string]: string }
    readonly note: Note
  },
): PomGroup {
  const { readers = {}, values = [], defaults = {}, note } = options
  const entries = childrenOf(element).flatMap((entry) => {
    const reader = Object.hasOwn(readers, entry.name)
      ? readers[entry.name]
      : values.includes(entry.name)
        ? plainPart
        : treePart
    return reader === 'ignored' || reader === undefined ? [] : [[entry.name, reader(entry)] as const]
  })
  const given = new Set(entries.map(([name]) => name))
  const filled = Object.entries(defaults)
    .filter(([name]) => !given.has(name))
    .map(([name, text]) => [name, { kind: 'value', text, line: element.line }] as const)
  return { kind: 'group', parts: keyed([...entries, ...filled], note), line: element.line }
}

/** Reads a record that only contains other parts, such as `<build>`. */
export function sectionOf(element: XmlElement, readers: Readers, note: Note): PomGroup {
  return { ...recordOf(element, { note, readers }), isContainer: true }
}

export function textsOf(element: XmlElement): PomSequence {
  const names = childrenOf(element).map(({ ownText, line }) => ({ name: ownText, line }))
  return { kind: 'sequence', names, line: element.line }
}

export function setOf(element: XmlElement, textOf: (entry: XmlElement) => string): PomGroup {
  const parts = childrenOf(element).map((entry) => {
    const text = textOf(entry)
    return [text, { kind: 'value', text, line: entry.line }] as const
  })
  return { kind: 'group', parts: new Map(parts), line: element.line, isContainer: true }
}
