import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { compareXml } from '../xml/xml.js'
import type { XmlElement } from '../xml/xml-node.js'
import { xmlReader } from '../xml/xml-reader.js'
import { comparePart } from './pom-part.js'
import { projectPart } from './project.js'

interface Pom {
  readonly root: XmlElement
  readonly notes: (text: string) => void
}

/** Compares two Maven POMs by the model they describe. A document that is no `project` is compared as plain XML. */
export const comparePom: Comparator = (sources) => {
  const siblingOrder = sources.rules.siblingOrder ?? 'same-name'
  const read = xmlReader({ siblingOrder, localNames: true })
  let isPom = true
  const found = treeComparator<Pom>({
    parse: (text, notes) => ({ root: read(text), notes }),
    compare: (reference, actual, rules, log) => {
      isPom = reference.root.name === 'project' && actual.root.name === 'project'
      if (!isPom) return
      const [expected, present] = [reference, actual].map(({ root, notes }) => projectPart(root, rules, notes))
      if (expected && present) comparePart(expected, present, '', { log, siblingOrder })
    },
  })(sources)
  return isPom ? found : compareXml(sources)
}
