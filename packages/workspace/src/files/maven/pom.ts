import { escaped } from '../../quotation.js'
import type { Comparator, ComparisonRules } from '../comparator.js'
import { treeComparator } from '../compare-trees.js'
import { differs, excerpts, missing, outOfOrder, unexpected } from '../difference.js'
import { compareElements, compareXml, type XmlComparison } from '../xml/compare-xml.js'
import { childrenOf, readXml, type XmlElement, xmlNormalizer } from '../xml/read-xml.js'

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

/** A part of a project model, compared in its own way. Lines are those of start tags. */
type PomPart = PomValue | PomGroup | PomSequence | PomTree

/** A string, or the default of an absent one. */
interface PomValue {
  readonly kind: 'value'
  readonly text: string
  readonly line: number
}

/** Parts by key. Their order does not count unless it is kept. */
interface PomGroup {
  readonly kind: 'group'
  readonly parts: ReadonlyMap<string, PomPart>
  readonly line: number
  readonly keepsOrder?: boolean
  /** Whether it only contains its parts, so that an absent one equals an empty one. */
  readonly isContainer?: boolean
  /** Keys that the workspace may have although the reference does not. */
  readonly allowed?: ReadonlySet<string>
}

/** Names whose order counts. With `common`, only the order of those on both sides counts. */
interface PomSequence {
  readonly kind: 'sequence'
  readonly names: readonly { readonly name: string; readonly line: number }[]
  readonly line: number
  readonly common?: boolean
}

/** An element compared as plain XML. */
interface PomTree {
  readonly kind: 'tree'
  readonly element: XmlElement
  readonly line: number
}

/** Writes every difference of two parts to the log. */
function comparePart(reference: PomPart, actual: PomPart, member: string, comparison: XmlComparison): void {
  const { log } = comparison
  if (!log.step()) return
  if (reference.kind === 'group' && actual.kind === 'group') compareGroups(reference, actual, member, comparison)
  else if (reference.kind === 'tree' && actual.kind === 'tree')
    compareElements(reference.element, actual.element, member, comparison)
  else if (isOrder(reference) && isOrder(actual)) compareOrder(reference.names, actual.names, member, comparison)
  else if (reference.kind === 'sequence' && actual.kind === 'sequence')
    compareSequences(reference, actual, member, comparison)
  else if (!(reference.kind === 'value' && actual.kind === 'value' && reference.text === actual.text)) {
    log.add(difference(reference, actual, member))
  }
}

function compareGroups(reference: PomGroup, actual: PomGroup, member: string, comparison: XmlComparison): void {
  const { log } = comparison
  const nameOf = (key: string) => `${member === '' ? '' : `${member}/`}${escaped(key)}`
  for (const [key, expected] of reference.parts) {
    const found = actual.parts.get(key) ?? emptied(expected, actual.line)
    if (found !== undefined) comparePart(expected, found, nameOf(key), comparison)
    else if (!isOrder(expected))
      log.add(missing({ member: nameOf(key), referenceLine: expected.line, enclosingLine: actual.line }))
  }
  for (const [key, found] of actual.parts) {
    if (reference.parts.has(key) || reference.allowed?.has(key) === true || isOrder(found)) continue
    const empty = emptied(found, reference.line)
    if (empty === undefined) log.add(unexpected({ member: nameOf(key), line: found.line }))
    else comparePart(empty, found, nameOf(key), comparison)
  }
  if (reference.keepsOrder === true) compareOrder(namesOf(reference), namesOf(actual), member, comparison)
}

/** Represents an absent container, so that each of its parts is missing or unexpected. */
function emptied(part: PomPart, line: number): PomGroup | undefined {
  return part.kind === 'group' && part.isContainer === true ? { ...part, parts: new Map(), line } : undefined
}

function isOrder(part: PomPart): part is PomSequence {
  return part.kind === 'sequence' && part.common === true
}

type Names = PomSequence['names']

function namesOf({ parts }: PomGroup): Names {
  return [...parts].map(([name, { line }]) => ({ name, line }))
}

function compareSequences(
  reference: PomSequence,
  actual: PomSequence,
  member: string,
  comparison: XmlComparison,
): void {
  const at = actual.names.findIndex(({ name }, index) => name !== reference.names[index]?.name)
  if (at < 0 && reference.names.length === actual.names.length) return
  comparison.log.add(difference(reference, actual, member))
}

function difference(reference: PomPart, actual: PomPart, member: string) {
  const sides = excerpts(shown(reference), shown(actual))
  return differs({ member, line: actual.line, referenceLine: reference.line, ...sides })
}

/** Compares the order of what both sides have. */
function compareOrder(reference: Names, actual: Names, member: string, { log }: XmlComparison): void {
  const present = new Set(actual.map(({ name }) => name))
  const wanted = new Set(reference.map(({ name }) => name))
  const expected = reference.filter(({ name }) => present.has(name))
  const found = actual.filter(({ name }) => wanted.has(name))
  const at = found.findIndex(({ name }, index) => name !== expected[index]?.name)
  const [here, there] = [found[at], expected[at]]
  if (here === undefined || there === undefined) return
  log.add(outOfOrder({ member, element: here.name, line: here.line, referenceLine: there.line }))
}

function shown(part: PomPart): string {
  switch (part.kind) {
    case 'value':
      return part.text
    case 'sequence':
      return part.names.map(({ name }) => name).join(' ')
    case 'tree':
      return `<${part.element.name}>`
    case 'group':
      return '{…}'
    default:
      return part satisfies never
  }
}

/** Receives remarks that are not differences. */
type Note = (text: string) => void

/** Returns the first child with that name. */
function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element && childrenOf(element).find((candidate) => candidate.name === name)
}

/** Returns the trimmed text of the child with that name. */
function childText(element: XmlElement | undefined, name: string): string | undefined {
  return child(element, name)?.ownText
}

/** Returns an element as a value if it is one, otherwise as a tree. */
function plainPart(element: XmlElement): PomPart {
  const isValue = childrenOf(element).length === 0 && element.attributes.size === 0
  return isValue
    ? { kind: 'value', text: element.ownText, line: element.line }
    : { kind: 'tree', element, line: element.line }
}

/** Compares an element as plain XML, even if it contains only text. */
function treePart(element: XmlElement): PomPart {
  return { kind: 'tree', element, line: element.line }
}

/** Returns the children of an element by the keys that `keyOf` returns. */
function listOf(
  element: XmlElement,
  keyOf: (entry: XmlElement) => string,
  partOf: (entry: XmlElement) => PomPart,
  note: Note,
): PomGroup {
  const entries = childrenOf(element).map((entry) => [keyOf(entry), partOf(entry)] as const)
  return { kind: 'group', parts: keyed(entries, note), line: element.line, isContainer: true }
}

/** Returns parts by key. All parts with a repeated key are kept, as `key#2`, `key#3`. */
function keyed(entries: readonly (readonly [string, PomPart])[], note: Note): ReadonlyMap<string, PomPart> {
  const parts = new Map<string, PomPart>()
  const counts = new Map<string, number>()
  for (const [key, part] of entries) {
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (count > 1) note(`${key} is declared twice`)
    parts.set(count > 1 ? `${key}#${count}` : key, part)
  }
  return parts
}

/** How the children of an element are read, by name. Others become trees. */
type Readers = { readonly [name: string]: ((element: XmlElement) => PomPart) | 'ignored' }

/** Reads an element whose children have known names. Defaults replace absent children. */
function recordOf(
  element: XmlElement,
  options: {
    readonly readers?: Readers
    /** The children that are plain strings. */
    readonly values?: readonly string[]
    readonly defaults?: { readonly [name: string]: string }
    readonly note: Note
  },
): PomGroup {
  const { readers = {}, values = [], defaults = {}, note } = options
  const entries = childrenOf(element).flatMap((entry) => {
    const reader = Object.hasOwn(readers, entry.name)
      ? readers[entry.name]
      : values.includes(entry.name)
        ? plainPart
        : treePart
    return reader === 'ignored' || reader === undefined ? [] : [[entry.name, reader(entry)] as const]
  })
  const given = new Set(entries.map(([name]) => name))
  const filled = Object.entries(defaults)
    .filter(([name]) => !given.has(name))
    .map(([name, text]) => [name, { kind: 'value', text, line: element.line }] as const)
  return { kind: 'group', parts: keyed([...entries, ...filled], note), line: element.line }
}

/** Reads a record that only contains other parts, such as `<build>`. */
function sectionOf(element: XmlElement, readers: Readers, note: Note): PomGroup {
  return { ...recordOf(element, { note, readers }), isContainer: true }
}

function textsOf(element: XmlElement): PomSequence {
  const names = childrenOf(element).map(({ ownText, line }) => ({ name: ownText, line }))
  return { kind: 'sequence', names, line: element.line }
}

function setOf(element: XmlElement, textOf: (entry: XmlElement) => string): PomGroup {
  const parts = childrenOf(element).map((entry) => {
    const text = textOf(entry)
    return [text, { kind: 'value', text, line: entry.line }] as const
  })
  return { kind: 'group', parts: new Map(parts), line: element.line, isContainer: true }
}
