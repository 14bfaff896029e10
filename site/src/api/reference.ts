import { join } from 'node:path'
import { type Door, declaredAt, type PublicName, publicDoors } from '../../../tests/structure/public-names.js'
import { root } from '../../../tests/structure/source.js'
import { type DocParts, partsOf } from './doc-comment.js'

/** What a reader can do with a name. */
export type EntryKind = 'function' | 'class' | 'constant' | 'interface' | 'type'

/** A public name with everything that the reference says about it. */
export interface Entry {
  readonly name: string
  readonly kind: EntryKind
  readonly declared: PublicName
  /** The door whose page describes it: the first of its own package. */
  readonly home: string
  /** Every door that exports it; the doors of `jurist` first. */
  readonly doors: readonly string[]
}

/** The pages of the reference: every door, and where each public name is described. */
export interface Reference {
  readonly doors: readonly Door[]
  readonly entries: readonly Entry[]
  readonly entryOf: (one: PublicName) => Entry | undefined
  /** The entry of a name as a declaration of `file` means it. */
  readonly meantIn: (file: string, word: string) => Entry | undefined
  /** The entries whose declarations mention an entry: first what can be called, of its own package before others. */
  readonly usersOf: (one: Entry) => readonly Entry[]
  /** The entry of a name in a text: `fileExists`, `fileExists('a')`, `JudgmentContext`. None for common words. */
  readonly named: (code: string) => Entry | undefined
}

/** Reads the built declarations of every package. */
export function readReference(): Reference {
  const doors = publicDoors()
  const exporters = grouped(
    doors.flatMap(({ door, names }) => [...names.values()].map((one) => ({ door, one }))),
    ({ one }) => keyOf(one),
  )
  const byKey = new Map(
    [...exporters].map(([key, found]): [string, Entry] => {
      const { one, door } = found.find(({ door, one }) => isDoorOf(door, one.package)) ?? found[0] ?? missing(key)
      const ordered = found.map(({ door }) => door).sort((a, b) => rank(a) - rank(b))
      return [key, { name: one.name, kind: kindOf(one), declared: one, home: door, doors: ordered }]
    }),
  )
  const byName = grouped([...byKey.values()], ({ name }) => name)
  const entryOf = (one: PublicName) => byKey.get(keyOf(one))
  const meantIn = (file: string, word: string) => {
    const found = declaredAt(join(root, file), word)
    return found === undefined ? undefined : entryOf(found)
  }
  const users = usersOf([...byKey.values()], entryOf)
  return {
    doors,
    entries: [...byKey.values()],
    entryOf,
    meantIn,
    usersOf: (one) => users.get(one) ?? [],
    named(code) {
      const [, name = '', called] = /^([A-Za-z]\w+)(\(.*\))?$/s.exec(code) ?? []
      const isDistinct = called !== undefined || /^(?:[a-z]+\w*[A-Z]|[A-Z]\w*[a-z])/.test(name)
      const found = isDistinct ? (byName.get(name) ?? []) : []
      return found.length === 1 ? found[0] : undefined
    },
  }
}

function usersOf(entries: readonly Entry[], entryOf: Reference['entryOf']): ReadonlyMap<Entry, readonly Entry[]> {
  const users = new Map<Entry, Entry[]>()
  for (const one of [...entries].sort((a, b) => Number(isType(a)) - Number(isType(b))))
    for (const used of mentionedBy(one.declared, entryOf))
      if (used !== one) users.set(used, [...(users.get(used) ?? []), one])
  for (const [used, found] of users) found.sort((a, b) => Number(isForeign(a, used)) - Number(isForeign(b, used)))
  return users
}

/** The entries that a declaration mentions, itself or through types that no door exports. */
function mentionedBy(one: PublicName, entryOf: Reference['entryOf']): ReadonlySet<Entry> {
  const mentioned = new Set<Entry>()
  const hidden = new Map([[keyOf(one), one]])
  for (const { file, declarations } of hidden.values())
    for (const word of new Set(declarations.flatMap(({ code }) => code.match(/\b[A-Z]\w+\b/g) ?? []))) {
      const found = declaredAt(join(root, file), word)
      const entry = found === undefined ? undefined : entryOf(found)
      if (entry !== undefined) mentioned.add(entry)
      else if (found !== undefined) hidden.set(keyOf(found), found)
    }
  return mentioned
}

function isForeign(one: Entry, to: Entry): boolean {
  return one.declared.package !== to.declared.package
}

/** Whether a name is nothing at run time. */
export function isType({ kind }: Entry): boolean {
  return kind === 'interface' || kind === 'type'
}

/** The description of an entry: that of its first documented declaration. */
export function docOf({ declared }: Entry): DocParts {
  return partsOf(declared.declarations.find(({ doc }) => doc !== '')?.doc ?? '')
}

/** The page of a door, from the root of the site. */
export function pageOfDoor(door: string): string {
  return `api/${door.replace(/^@jurist\//, '').replaceAll('/', '.')}.html`
}

/** Where an entry is, from the root of the site. */
export function placeOf({ home, name }: Entry): string {
  return `${pageOfDoor(home)}#${name}`
}

/** `Map.groupBy`, which Node 20 does not have. */
export function grouped<T>(values: readonly T[], keyOf: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value])
  return groups
}

function keyOf({ file, name }: PublicName): string {
  return `${file} ${name}`
}

function isDoorOf(door: string, name: string): boolean {
  return door === name || door.startsWith(`${name}/`)
}

function rank(door: string): number {
  return isDoorOf(door, 'jurist') ? 0 : 1
}

function missing(key: string): never {
  throw new Error(`No door exports ${key}.`)
}

function kindOf({ declarations }: PublicName): EntryKind {
  const codes = declarations.map(({ code }) => code.replace(/^export |declare /g, ''))
  if (codes.some((code) => code.startsWith('function'))) return 'function'
  if (codes.some((code) => code.startsWith('class') || code.startsWith('abstract class'))) return 'class'
  if (codes.some((code) => /^(?:const|let|var)\b/.test(code))) return 'constant'
  return codes.some((code) => code.startsWith('interface')) ? 'interface' : 'type'
}
