import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { escaped } from '../quotation.js'
import { compareElements } from './compare-xml.js'
import type { XmlElement } from './xml-node.js'
import { xmlReader } from './xml-reader.js'

/** Compares two XML documents by their trees; space between elements and the order of attributes do not count. */
export const compareXml: Comparator = (sources) => {
  const siblingOrder = sources.rules.siblingOrder ?? 'same-name'
  const parse = xmlReader({ siblingOrder })
  return treeComparator<XmlElement>({
    parse,
    compare: (reference, actual, _rules, log) =>
      compareElements(reference, actual, `/${escaped(reference.name)}`, { log, siblingOrder }),
  })(sources)
}
