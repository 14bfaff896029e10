import { groupBy } from '@jurist/kit/group-by'
import { escaped } from '../../quotation.js'
import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { type DifferenceLog, differs, excerpts, missing, outOfOrder, unexpected } from '../difference.js'
import {
  childrenOf,
  expandedName,
  isMixed,
  textOf,
  type XmlElement,
  type XmlInstructions,
  xmlReader,
} from './read-xml.js'

export interface XmlComparison {
  readonly log: DifferenceLog
  readonly siblingOrder: 'same-name' | 'strict'
}

/**
 * Writes every difference of two elements to the log. Elements with the same id cost nothing, however large they are.
 *
 * @param member the name of the elements: `/beans`
 */
export function compareElements(
  reference: XmlElement,
  actual: XmlElement,
  member: string,
  comparison: XmlComparison,
): void {
  const { log } = comparison
  if (reference.id === actual.id || !log.step()) return
  if (expandedName(reference.space, reference.name) !== expandedName(actual.space, actual.name)) {
    const sides = { expected: shownName(reference), found: shownName(actual) }
    log.add(differs({ member, line: actual.line, referenceLine: reference.line, ...sides }))
    return
  }
  compareAttributes(reference, actual, member, log)
  if (isMixed(reference) || isMixed(actual)) compareMixed(reference, actual, member, comparison)
  else {
    compareTexts(reference, actual, member, log)
    compareChildren(reference, actual, member, comparison)
  }
}

function shownName({ space, name }: XmlElement): string {
  return space === '' ? name : expandedName(space, name)
}

function compareAttributes(reference: XmlElement, actual: XmlElement, member: string, log: DifferenceLog): void {
  for (const [key, { name, value }] of reference.attributes) {
    const present = actual.attributes.get(key)
    const at = `${member}/@${name}`
    if (present === undefined)
      log.add(missing({ member: at, referenceLine: reference.line, enclosingLine: actual.line }))
    else if (present.value !== value) log.add(differentTexts(reference, actual, at, [value, present.value]))
  }
  for (const [key, { name }] of actual.attributes)
    if (!reference.attributes.has(key)) log.add(unexpected({ member: `${member}/@${name}`, line: actual.line }))
}

function compareTexts(reference: XmlElement, actual: XmlElement, member: string, log: DifferenceLog): void {
  const texts = [textOf(reference), textOf(actual)] as const
  if (texts[0] !== texts[1]) log.add(differentTexts(reference, actual, `${member}/text()`, texts))
}

function differentTexts(
  reference: XmlElement,
  actual: XmlElement,
  member: string,
  [expected, found]: readonly [string, string],
) {
  return differs({ member, line: actual.line, referenceLine: reference.line, ...excerpts(expected, found) })
}

function compareChildren(reference: XmlElement, actual: XmlElement, member: string, comparison: XmlComparison): void {
  const { log, siblingOrder } = comparison
  const { pairs, onlyReference, onlyActual, misplaced } = pairChildren(reference, actual, siblingOrder)
  const nameOf = namesWithin(reference, actual, member)
  for (const [expected, found] of pairs) compareElements(expected, found, nameOf(expected), comparison)
  for (const child of onlyReference)
    log.add(missing({ member: nameOf(child), referenceLine: child.line, enclosingLine: actual.line }))
  for (const child of onlyActual) log.add(unexpected({ member: nameOf(child), line: child.line }))
  if (misplaced !== undefined) {
    const [expected, found] = misplaced
    log.add(outOfOrder({ member, element: found.name, line: found.line, referenceLine: expected.line }))
  }
}

/**
 * Finds the first part of mixed content that differs. If both are elements with the same name, it compares their
 * contents.
 */
function compareMixed(reference: XmlElement, actual: XmlElement, member: string, comparison: XmlComparison): void {
  const nameOf = namesWithin(reference, actual, member)
  const length = Math.max(reference.content.length, actual.content.length)
  for (let index = 0; index < length; index++) {
    const expected = reference.content[index]
    const found = actual.content[index]
    if (expected === found || (isElement(expected) && isElement(found) && expected.id === found.id)) continue
    if (isElement(expected) && isElement(found) && expected.name === found.name)
      compareElements(expected, found, nameOf(expected), comparison)
    else {
      const at = isElement(expected) ? nameOf(expected) : `${member}/text()${textIndex(reference, index)}`
      const line = isElement(found) ? found.line : actual.line
      const referenceLine = isElement(expected) ? expected.line : reference.line
      comparison.log.add(differs({ member: at, line, referenceLine, ...excerpts(shown(expected), shown(found)) }))
      return
    }
  }
}

function isElement(part: XmlElement | string | undefined): part is XmlElement {
  return typeof part === 'object'
}

function shown(part: XmlElement | string | undefined): string | undefined {
  return isElement(part) ? `<${part.name}>` : part
}

/** Returns `[2]` for the second of several runs of text. */
function textIndex({ content }: XmlElement, index: number): string {
  const isText = (part: XmlElement | string) => typeof part === 'string'
  return content.filter(isText).length < 2 ? '' : `[${content.slice(0, index + 1).filter(isText).length}]`
}

/** Names the children of two elements, with an index if the name is repeated in the reference. */
function namesWithin(reference: XmlElement, actual: XmlElement, member: string): (child: XmlElement) => string {
  const places = new Map<XmlElement, number>()
  const counts = new Map<string, number>()
  for (const child of childrenOf(reference)) {
    const place = (counts.get(child.name) ?? 0) + 1
    counts.set(child.name, place)
    places.set(child, place)
  }
  const found = new Map<string, number>()
  for (const child of childrenOf(actual)) {
    const place = (found.get(child.name) ?? 0) + 1
    found.set(child.name, place)
    places.set(child, place)
  }
  return (child) => {
    const repeats = (counts.get(child.name) ?? 0) > 1 || (places.get(child) ?? 1) > 1
    return `${member}/${child.name}${repeats ? `[${places.get(child)}]` : ''}`
  }
}

/** The pairs among the children of two elements. */
interface PairedChildren {
  /** Children with the same name that are not equal. */
  readonly pairs: readonly (readonly [XmlElement, XmlElement])[]
  readonly onlyReference: readonly XmlElement[]
  readonly onlyActual: readonly XmlElement[]
  /** The first equal children in another order: the expected one and the one found. */
  readonly misplaced?: readonly [XmlElement, XmlElement]
}

/** Pairs equal children first, wherever they are, and then the others with the same name in their order. */
function pairChildren(reference: XmlElement, actual: XmlElement, siblingOrder: 'same-name' | 'strict'): PairedChildren {
  const equal = equalChildren(childrenOf(reference), childrenOf(actual))
  const left = childrenOf(reference).filter((child) => !equal.has(child))
  const taken = new Set(equal.values())
  const waiting = groupedByName(childrenOf(actual).filter((child) => !taken.has(child)))
  const pairs: (readonly [XmlElement, XmlElement])[] = []
  const onlyReference: XmlElement[] = []
  for (const child of left) {
    const partner = waiting.get(expandedName(child.space, child.name))?.shift()
    if (partner === undefined) onlyReference.push(child)
    else pairs.push([child, partner])
  }
  const onlyActual = [...waiting.values()].flat()
  const misplaced = firstMisplaced(equal, childrenOf(actual), siblingOrder)
  return { pairs, onlyReference, onlyActual, misplaced }
}

function equalChildren(
  reference: readonly XmlElement[],
  actual: readonly XmlElement[],
): ReadonlyMap<XmlElement, XmlElement> {
  const waiting = groupBy(actual.toReversed(), ({ id }) => id)
  const equal = new Map<XmlElement, XmlElement>()
  for (const child of reference) {
    const partner = waiting.get(child.id)?.pop()
    if (partner !== undefined) equal.set(child, partner)
  }
  return equal
}

function groupedByName(children: readonly XmlElement[]): Map<string, XmlElement[]> {
  return groupBy(children, ({ space, name }) => expandedName(space, name))
}

/** Compares the order of the elements that are on both sides: of all, or of those with each name. */
function firstMisplaced(
  equal: ReadonlyMap<XmlElement, XmlElement>,
  actual: readonly XmlElement[],
  siblingOrder: 'same-name' | 'strict',
): readonly [XmlElement, XmlElement] | undefined {
  const present = new Set(equal.values())
  const expected = [...equal]
  const found = actual.filter((child) => present.has(child))
  if (siblingOrder === 'strict') return firstOther(expected, found)
  const foundByName = groupedByName(found)
  const first = [...groupBy(expected, ([child]) => expandedName(child.space, child.name))]
    .map(([name, pairs]) => firstOther(pairs, foundByName.get(name) ?? []))
    .filter((other) => other !== undefined)
  return first.sort(([, one], [, other]) => one.line - other.line)[0]
}

function firstOther(
  expected: readonly (readonly [XmlElement, XmlElement])[],
  found: readonly XmlElement[],
): readonly [XmlElement, XmlElement] | undefined {
  const at = found.findIndex((child, index) => child !== expected[index]?.[1])
  const [here, there] = [found[at], expected[at]?.[0]]
  return here === undefined || there === undefined ? undefined : [there, here]
}

/**
 * Compares two XML documents by their trees. Space between elements and the order of attributes do not count. Text is
 * compared as it is, unless `textSpace` is `'collapse'`.
 */
export const compareXml: Comparator = (sources) => {
  const { siblingOrder = 'same-name', textSpace = 'keep' } = sources.rules
  const parse = xmlReader({ siblingOrder, textSpace })
  return treeComparator<XmlElement>({
    parse,
    compare: (reference, actual, _rules, log) => {
      compareInstructions(reference, actual, log)
      compareElements(reference, actual, `/${escaped(reference.name)}`, { log, siblingOrder })
    },
  })(sources)
}

/**
 * A processing instruction before the root counts, since it is for every reader of the document: a style sheet, a
 * schema, an import. Any other is ignored like a comment, unless both sides have one with its target.
 */
function compareInstructions(reference: XmlElement, actual: XmlElement, log: DifferenceLog): void {
  const found = actual.instructions ?? new Map<string, XmlInstructions>()
  for (const [target, { bodies, prologLine }] of reference.instructions ?? []) {
    const present = found.get(target)
    const member = `/?${escaped(target)}`
    if (present === undefined) {
      if (prologLine !== undefined) log.add(missing({ member, referenceLine: prologLine, enclosingLine: actual.line }))
    } else if (JSON.stringify(present.bodies) !== JSON.stringify(bodies)) {
      log.add(differentTexts(reference, actual, member, [bodies.join(' '), present.bodies.join(' ')]))
    }
  }
  for (const [target, { prologLine }] of found)
    if (prologLine !== undefined && reference.instructions?.has(target) !== true)
      log.add(unexpected({ member: `/?${escaped(target)}`, line: prologLine }))
}
