import type { Comparator, ComparisonRules } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { childrenOf, readXml, type XmlElement, xmlNormalizer } from '../xml/read-xml.js'
import { compareXml } from '../xml/xml.js'
import {
  child,
  childText,
  comparePart,
  listOf,
  type Note,
  type PomGroup,
  type PomPart,
  type PomSequence,
  plainPart,
  type Readers,
  recordOf,
  sectionOf,
  setOf,
  textsOf,
  treePart,
} from './pom-part.js'

interface Pom {
  readonly root: XmlElement
  readonly isProject: boolean
  readonly notes: (text: string) => void
}

/**
 * No namespace, or that of any version of the model. Other formats have a `project` element too, in their own
 * namespaces.
 */
const pomNamespace = /^(?:http:\/\/maven\.apache\.org\/POM\/[\d.]+)?$/

/**
 * Compares two Maven POMs by the model they describe. A document whose root is not `project` is compared as plain XML.
 */
export const comparePom: Comparator = (sources) => {
  const siblingOrder = sources.rules.siblingOrder ?? 'same-name'
  // Maven trims every value.
  const normalized = xmlNormalizer({ siblingOrder, textSpace: 'collapse', localNames: true })
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

const parentValues = ['groupId', 'artifactId', 'version', 'relativePath']

/** Reads the model of a project, without inheritance and interpolation. */
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

/** Reads a `<dependencies>` element, with keys `groupId:artifactId:type`, and `:classifier` if there is one. */
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

const versionAllowed = new Set(['version'])

/** Reads a `<plugins>` element, with keys `groupId:artifactId`. A version counts only if the reference declares one. */
export function pluginsPart(element: XmlElement, note: Note): PomGroup {
  return listOf(element, pluginKey, (plugin) => pluginPart(plugin, note), note)
}

function pluginKey(plugin: XmlElement): string {
  return `${childText(plugin, 'groupId') ?? 'org.apache.maven.plugins'}:${childText(plugin, 'artifactId') ?? ''}`
}

function pluginPart(plugin: XmlElement, note: Note): PomPart {
  const record = recordOf(plugin, {
    note,
    readers: {
      groupId: 'ignored',
      artifactId: 'ignored',
      dependencies: (element) => dependenciesPart(element, {}, note),
      configuration: treePart,
      executions: (element) => listOf(element, executionKey, (execution) => executionPart(execution, note), note),
    },
    values: ['version', 'extensions', 'inherited'],
    defaults: { extensions: 'false', inherited: 'true' },
  })
  return { ...record, allowed: versionAllowed }
}

function executionKey(execution: XmlElement): string {
  return childText(execution, 'id') ?? 'default'
}

function executionPart(execution: XmlElement, note: Note): PomPart {
  const readers = { id: 'ignored', goals: textsOf, configuration: treePart } as const
  return recordOf(execution, { note, readers, values: ['phase', 'inherited'], defaults: { inherited: 'true' } })
}

/** Returns the executions of each phase in their order, since Maven runs them in this order. */
export function phaseOrders(build: XmlElement | undefined): readonly (readonly [string, PomSequence])[] {
  const orders = new Map<string, { name: string; line: number }[]>()
  for (const plugin of elementsOf(build, 'plugins'))
    for (const execution of elementsOf(plugin, 'executions')) {
      const phase = childText(execution, 'phase')
      if (phase === undefined) continue
      const names = orders.get(phase) ?? []
      names.push({ name: `${pluginKey(plugin)} ${executionKey(execution)}`, line: execution.line })
      orders.set(phase, names)
    }
  return [...orders].map(([phase, names]) => {
    const line = names[0]?.line ?? 1
    return [`order of phase ${phase}`, { kind: 'sequence', names, line, common: true }] as const
  })
}

function elementsOf(parent: XmlElement | undefined, name: string): readonly XmlElement[] {
  const list = child(parent, name)
  return list === undefined ? [] : childrenOf(list)
}
