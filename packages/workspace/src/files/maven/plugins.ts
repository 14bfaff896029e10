import type { XmlElement } from '../xml/xml-node.js'
import { childrenOf } from '../xml/xml-node.js'
import { dependenciesPart } from './dependencies.js'
import type { Note } from './pom-elements.js'
import { child, childText, listOf, recordOf, textsOf, treePart } from './pom-elements.js'
import type { PomGroup, PomPart, PomSequence } from './pom-part.js'

const versionAllowed = new Set(['version'])

/** A `<plugins>` element: by `groupId:artifactId`. A version counts only where the reference declares one. */
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

/** For each phase the executions that name it, in their order: Maven runs them in this order. */
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
