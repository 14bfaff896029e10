import { differs, missing, outOfOrder, unexpected } from '../difference.js'
import { escaped } from '../quotation.js'
import { excerpts } from '../text/excerpt.js'
import type { XmlComparison } from '../xml/compare-xml.js'
import { compareElements } from '../xml/compare-xml.js'
import type { XmlElement } from '../xml/xml-node.js'

/** A part of a project model, compared in its own way. Lines are those of start tags. */
export type PomPart = PomValue | PomGroup | PomSequence | PomTree

/** A text, or the default of one that is absent. */
interface PomValue {
  readonly kind: 'value'
  readonly text: string
  readonly line: number
}

/** Parts by key. Their order does not count, unless it is kept. */
export interface PomGroup {
  readonly kind: 'group'
  readonly parts: ReadonlyMap<string, PomPart>
  readonly line: number
  readonly keepsOrder?: boolean
  /** It only holds its parts: absent, it is the same as empty. */
  readonly isContainer?: boolean
  /** Keys that the workspace may have though the reference has not. */
  readonly allowed?: ReadonlySet<string>
}

/** Names whose order counts; with `common`, only the order of those on both sides. */
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

/** What stands for a container that is absent: what it holds is missing or unexpected by itself. */
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

/** The order of what both sides have. */
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
