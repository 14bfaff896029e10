import type { XmlElement } from '../xml/xml-node.js'
import { childrenOf } from '../xml/xml-node.js'
import type { PomGroup, PomPart, PomSequence } from './pom-part.js'

/** Told of what is odd but no difference. */
export type Note = (text: string) => void

/** The child of that name; of several the first. */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element && childrenOf(element).find((candidate) => candidate.name === name)
}

/** The trimmed text of the child of that name. */
export function childText(element: XmlElement | undefined, name: string): string | undefined {
  return child(element, name)?.ownText
}

/** An element as a value when it is one, else as a tree. */
export function plainPart(element: XmlElement): PomPart {
  const isValue = childrenOf(element).length === 0 && element.attributes.size === 0
  return isValue
    ? { kind: 'value', text: element.ownText, line: element.line }
    : { kind: 'tree', element, line: element.line }
}

/** Whatever is compared as plain XML, even when it is only text. */
export function treePart(element: XmlElement): PomPart {
  return { kind: 'tree', element, line: element.line }
}

/** The children of an element by the keys that `keyOf` gives them. */
export function listOf(
  element: XmlElement,
  keyOf: (entry: XmlElement) => string,
  partOf: (entry: XmlElement) => PomPart,
  note: Note,
): PomGroup {
  const entries = childrenOf(element).map((entry) => [keyOf(entry), partOf(entry)] as const)
  return { kind: 'group', parts: keyed(entries, note), line: element.line, isContainer: true }
}

/** Parts by key; of a repeated key all are kept, as `key#2`, `key#3`. */
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

/** How the children of an element are read: by name, anything else as a tree. */
export type Readers = { readonly [name: string]: ((element: XmlElement) => PomPart) | 'ignored' }

/** An element whose children are known by their names; what is absent and has a default is filled in. */
export function recordOf(
  element: XmlElement,
  options: {
    readonly readers?: Readers
    /** The children that are plain texts. */
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

/** A record that only holds other parts, such as `<build>`. */
export function sectionOf(element: XmlElement, readers: Readers, note: Note): PomGroup {
  return { ...recordOf(element, { note, readers }), isContainer: true }
}

/** The texts of the children, in their order. */
export function textsOf(element: XmlElement): PomSequence {
  const names = childrenOf(element).map(({ ownText, line }) => ({ name: ownText, line }))
  return { kind: 'sequence', names, line: element.line }
}

/** The texts of the children as a set. */
export function setOf(element: XmlElement, textOf: (entry: XmlElement) => string): PomGroup {
  const parts = childrenOf(element).map((entry) => {
    const text = textOf(entry)
    return [text, { kind: 'value', text, line: entry.line }] as const
  })
  return { kind: 'group', parts: new Map(parts), line: element.line, isContainer: true }
}
