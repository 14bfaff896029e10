import type { XmlElement } from './xml-node.js'
import { childrenOf, expandedName } from './xml-node.js'

/** Which children of two elements belong together. */
export interface PairedChildren {
  /** Children of one name that are not equal. */
  readonly pairs: readonly (readonly [XmlElement, XmlElement])[]
  readonly onlyReference: readonly XmlElement[]
  readonly onlyActual: readonly XmlElement[]
  /** The first equal children that stand in another order: what is expected there, and what stands there. */
  readonly misplaced?: readonly [XmlElement, XmlElement]
}

/** Pairs equal children first, wherever they stand, then what is left of one name in its order. */
export function pairChildren(
  reference: XmlElement,
  actual: XmlElement,
  siblingOrder: 'same-name' | 'strict',
): PairedChildren {
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
  return { pairs, onlyReference, onlyActual, ...(misplaced === undefined ? {} : { misplaced }) }
}

function equalChildren(
  reference: readonly XmlElement[],
  actual: readonly XmlElement[],
): ReadonlyMap<XmlElement, XmlElement> {
  const waiting = new Map<number, XmlElement[]>()
  for (const child of [...actual].reverse()) {
    const others = waiting.get(child.id)
    if (others === undefined) waiting.set(child.id, [child])
    else others.push(child)
  }
  const equal = new Map<XmlElement, XmlElement>()
  for (const child of reference) {
    const partner = waiting.get(child.id)?.pop()
    if (partner !== undefined) equal.set(child, partner)
  }
  return equal
}

function groupedByName(children: readonly XmlElement[]): Map<string, XmlElement[]> {
  const groups = new Map<string, XmlElement[]>()
  for (const child of children) {
    const name = expandedName(child.space, child.name)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [child])
    else group.push(child)
  }
  return groups
}

/** The order of the elements that are on both sides: of all, or of those of each name. */
function firstMisplaced(
  equal: ReadonlyMap<XmlElement, XmlElement>,
  actual: readonly XmlElement[],
  siblingOrder: 'same-name' | 'strict',
): readonly [XmlElement, XmlElement] | undefined {
  const present = new Set(equal.values())
  const expected = [...equal]
  const found = actual.filter((child) => present.has(child))
  if (siblingOrder === 'strict') return firstOther(expected, found)
  const nameOf = ({ space, name }: XmlElement) => expandedName(space, name)
  const foundByName = groupedByName(found)
  const expectedByName = new Map<string, (readonly [XmlElement, XmlElement])[]>()
  for (const pair of expected) {
    const group = expectedByName.get(nameOf(pair[0]))
    if (group === undefined) expectedByName.set(nameOf(pair[0]), [pair])
    else group.push(pair)
  }
  const first = [...expectedByName]
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
