import type { ComparisonRules } from '../comparator.js'
import type { XmlElement } from '../xml/xml-node.js'
import type { Note } from './pom-elements.js'
import { childText, listOf, recordOf, setOf } from './pom-elements.js'
import type { PomGroup, PomPart } from './pom-part.js'

/** A `<dependencies>` element: by `groupId:artifactId:type`, and `:classifier` where there is one. */
export function dependenciesPart(element: XmlElement, rules: ComparisonRules, note: Note): PomGroup {
  const list = listOf(element, dependencyKey, (dependency) => dependencyPart(dependency, note), note)
  return rules.dependencyOrder === 'keep' ? { ...list, keepsOrder: true } : list
}

function dependencyKey(dependency: XmlElement): string {
  const classifier = childText(dependency, 'classifier')
  const type = childText(dependency, 'type') ?? 'jar'
  return `${idOf(dependency)}:${type}${classifier === undefined ? '' : `:${classifier}`}`
}

function idOf(element: XmlElement): string {
  return `${childText(element, 'groupId') ?? ''}:${childText(element, 'artifactId') ?? ''}`
}

function dependencyPart(dependency: XmlElement, note: Note): PomPart {
  return recordOf(dependency, {
    note,
    readers: {
      groupId: 'ignored',
      artifactId: 'ignored',
      type: 'ignored',
      classifier: 'ignored',
      exclusions: (element) => setOf(element, idOf),
    },
    values: ['version', 'scope', 'optional', 'systemPath'],
    defaults: { optional: 'false' },
  })
}
