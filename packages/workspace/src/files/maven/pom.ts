import type { Comparator } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { readXml } from '../xml/read-xml.js'
import { compareXml } from '../xml/xml.js'
import type { XmlElement } from '../xml/xml-node.js'
import { xmlNormalizer } from '../xml/xml-reader.js'
import { comparePart } from './pom-part.js'
import { projectPart } from './project.js'

interface Pom {
  readonly root: XmlElement
  readonly isProject: boolean
  readonly notes: (text: string) => void
}

/** No namespace, or that of any version of the model; others have projects too, in namespaces of their own. */
const pomNamespace = /^(?:http:\/\/maven\.apache\.org\/POM\/[\d.]+)?$/

/** Compares two Maven POMs by the model they describe. A document that is no `project` is compared as plain XML. */
export const comparePom: Comparator = (sources) => {
  const siblingOrder = sources.rules.siblingOrder ?? 'same-name'
  const normalized = xmlNormalizer({ siblingOrder, localNames: true })
  let isPom = true
  const found = treeComparator<Pom>({
    parse: (text, notes) => {
      const document = readXml(text)
      const isProject = document.name === 'project' && pomNamespace.test(document.space)
      return { root: normalized(document), isProject, notes }
    },
    compare: (reference, actual, rules, log) => {
      isPom = reference.isProject && actual.isProject
      if (!isPom) return
      const [expected, present] = [reference, actual].map(({ root, notes }) => projectPart(root, rules, notes))
      if (expected && present) comparePart(expected, present, '', { log, siblingOrder })
    },
  })(sources)
  return isPom ? found : compareXml(sources)
}
