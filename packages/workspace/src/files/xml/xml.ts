import { escaped } from '../../quotation.js'
import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import type { DifferenceLog } from '../difference.js'
import { differs } from '../difference.js'
import { excerpts } from '../text.js'
import { compareElements } from './compare-xml.js'
import type { XmlElement } from './read-xml.js'
import { xmlReader } from './read-xml.js'

/**
 * Compares two XML documents by their trees; space between elements and the order of attributes do not
 * count.
 */
export const compareXml: Comparator = (sources) => {
  const siblingOrder = sources.rules.siblingOrder ?? 'same-name'
  const parse = xmlReader({ siblingOrder })
  return treeComparator<XmlElement>({
    parse,
    compare: (reference, actual, _rules, log) => {
      compareInstructions(reference, actual, log)
      compareElements(reference, actual, `/${escaped(reference.name)}`, { log, siblingOrder })
    },
  })(sources)
}

/** A processing instruction counts, like a comment, for nothing, unless both sides have one of its target. */
function compareInstructions(reference: XmlElement, actual: XmlElement, log: DifferenceLog): void {
  for (const [target, bodies] of reference.instructions ?? []) {
    const present = actual.instructions?.get(target)
    if (present === undefined || JSON.stringify(present) === JSON.stringify(bodies)) continue
    const [expected, found] = excerpts(bodies.join(' '), present.join(' '))
    const place = { line: actual.line, referenceLine: reference.line }
    log.add(differs({ member: `/?${escaped(target)}`, ...place, expected, found }))
  }
}
