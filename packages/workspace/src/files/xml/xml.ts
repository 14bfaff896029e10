import { escaped } from '../../quotation.js'
import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import type { DifferenceLog } from '../difference.js'
import { differs, missing, unexpected } from '../difference.js'
import { excerpts } from '../text.js'
import { compareElements } from './compare-xml.js'
import type { XmlElement, XmlInstructions } from './read-xml.js'
import { xmlReader } from './read-xml.js'

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
      const [expected, given] = excerpts(bodies.join(' '), present.bodies.join(' '))
      log.add(differs({ member, line: actual.line, referenceLine: reference.line, expected, found: given }))
    }
  }
  for (const [target, { prologLine }] of found)
    if (prologLine !== undefined && reference.instructions?.has(target) !== true)
      log.add(unexpected({ member: `/?${escaped(target)}`, line: prologLine }))
}
