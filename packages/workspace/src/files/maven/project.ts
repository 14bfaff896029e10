import type { ComparisonRules } from '../comparator.js'
import type { XmlElement } from '../xml/xml-node.js'
import { dependenciesPart } from './dependencies.js'
import { phaseOrders, pluginsPart } from './plugins.js'
import type { Note, Readers } from './pom-elements.js'
import { child, childText, listOf, plainPart, recordOf, sectionOf, setOf, treePart } from './pom-elements.js'
import type { PomGroup, PomPart } from './pom-part.js'

const parentValues = ['groupId', 'artifactId', 'version', 'relativePath']

/** The model of a project: what Maven makes of its POM, without inheritance and interpolation. */
export function projectPart(root: XmlElement, rules: ComparisonRules, note: Note): PomGroup {
  const parent = child(root, 'parent')
  const inherited = (name: string) => {
    const text = childText(parent, name)
    return text === undefined ? {} : { [name]: text }
  }
  const record = recordOf(root, {
    note,
    readers: {
      ...sectionReaders(rules, note),
      parent: (element) => recordOf(element, { note, values: parentValues, defaults: { relativePath: '../pom.xml' } }),
      profiles: (element) => listOf(element, profileKey, (profile) => profilePart(profile, rules, note), note),
    },
    values: ['groupId', 'artifactId', 'version', 'packaging'],
    defaults: { packaging: 'jar', ...inherited('groupId'), ...inherited('version') },
  })
  return withPhaseOrders(record, root)
}

function profileKey(profile: XmlElement): string {
  return childText(profile, 'id') ?? 'default'
}

function profilePart(profile: XmlElement, rules: ComparisonRules, note: Note): PomPart {
  const readers: Readers = { ...sectionReaders(rules, note), id: 'ignored', activation: treePart }
  return withPhaseOrders(recordOf(profile, { note, readers }), profile)
}

/** The parts that projects and profiles have in common. */
function sectionReaders(rules: ComparisonRules, note: Note): Readers {
  const dependencies = (element: XmlElement) => dependenciesPart(element, rules, note)
  const plugins = (element: XmlElement) => pluginsPart(element, note)
  const repositories = (element: XmlElement): PomPart => ({
    ...listOf(element, (entry) => childText(entry, 'id') ?? '', treePart, note),
    keepsOrder: true,
  })
  const pluginManagement = (element: XmlElement) => sectionOf(element, { plugins }, note)
  return {
    properties: (element) => listOf(element, ({ name }) => name, plainPart, note),
    dependencies,
    dependencyManagement: (element) => sectionOf(element, { dependencies }, note),
    build: (element) => sectionOf(element, { plugins, pluginManagement }, note),
    reporting: (element) => sectionOf(element, { plugins }, note),
    modules: (element) => setOf(element, ({ ownText }) => ownText),
    repositories,
    pluginRepositories: repositories,
  }
}

function withPhaseOrders(record: PomGroup, element: XmlElement): PomGroup {
  return { ...record, parts: new Map([...record.parts, ...phaseOrders(child(element, 'build'))]) }
}
