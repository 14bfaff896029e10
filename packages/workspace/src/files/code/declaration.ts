import type { TokenStream } from './token-stream.js'

/**
 * A declaration, an import, a statement: one thing that has a key and is compared with its namesake.
 * `first` and `last` are its first and last token.
 */
export interface Member {
  readonly key: string
  readonly first: number
  readonly last: number
  readonly parts: readonly Part[]
  /** What it is. Namesakes of one sort are paired first, then those that are left. Default: all one sort. */
  readonly sort?: string
  /** Paired by its whole text, because its key says nothing: other statements of a module. */
  readonly anonymous?: boolean
  /** Members of one sequence keep their order. Absent: its place does not count. */
  readonly sequence?: string
  /** Free to change places with its neighbours in the sequence that are free too. */
  readonly movable?: boolean
  /** What is declared inside it. */
  readonly members?: readonly Member[]
}

/** A part of a member that gets its own difference. */
export interface Part {
  readonly kind: 'header' | 'differs'
  /** What it is called in a message: `body`, `signature`. */
  readonly label: string
  readonly items: readonly Item[]
  /** The token that follows the part: what is found there when the part is too short. */
  readonly end: number
}

/** A piece of a declaration: the index of a token, or a group of units whose order does not count. */
export type Item = number | Group

/** Units whose order does not count; those with equal keys are matched in their order. */
export interface Group {
  readonly units: readonly Unit[]
}

/** One element of a group: an `implements` entry, an annotation, a function of a block. */
export interface Unit {
  readonly key: string
  readonly items: readonly Item[]
}

/** A stream with the items of it that are to be compared. */
export interface Selection {
  readonly stream: TokenStream
  readonly items: readonly Item[]
}

/** The first tokens in which two selections differ; an absent index means that this side has nothing more there. */
export interface Mismatch {
  readonly reference?: number
  readonly actual?: number
}

/** The first difference of two selections, in the order of the actual side; `undefined` when they are equal. */
export function firstMismatch(reference: Selection, actual: Selection): Mismatch | undefined {
  const length = Math.max(reference.items.length, actual.items.length)
  for (let index = 0; index < length; index++) {
    const mismatch = itemMismatch(reference, actual, index)
    if (mismatch !== undefined) return completed(mismatch, reference, actual, index + 1)
  }
  return undefined
}

function itemMismatch(reference: Selection, actual: Selection, index: number): Mismatch | undefined {
  const expected = reference.items[index]
  const found = actual.items[index]
  if (typeof expected === 'number' && typeof found === 'number') {
    const equal = reference.stream.texts[expected] === actual.stream.texts[found]
    return equal ? undefined : { reference: expected, actual: found }
  }
  if (typeof expected === 'object' && typeof found === 'object') {
    return groupMismatch(reference.stream, expected, actual.stream, found)
  }
  const mismatch = mismatchOf(firstToken(reference.items, index), firstToken(actual.items, index))
  return mismatch.reference === undefined && mismatch.actual === undefined ? undefined : mismatch
}

function groupMismatch(expectedIn: TokenStream, expected: Group, foundIn: TokenStream, found: Group) {
  const wanted = unitsByKey(expected)
  const present = unitsByKey(found)
  const missing = [...wanted].findIndex(([key]) => !present.has(key))
  const missingUnit = expected.units[missing]
  for (const [key, unit] of present) {
    const partner = wanted.get(key)
    if (partner === undefined) return unitMismatch(expectedIn, missingUnit, foundIn, unit)
    const mismatch = firstMismatch({ stream: expectedIn, items: partner.items }, { stream: foundIn, items: unit.items })
    if (mismatch !== undefined) return mismatch
  }
  if (missingUnit === undefined) return undefined
  const inItsPlace = found.units[missing]
  return mismatchOf(firstToken(missingUnit.items), inItsPlace && firstToken(inItsPlace.items))
}

/** Where an unexpected unit differs from the missing one that it may replace. */
function unitMismatch(expectedIn: TokenStream, missing: Unit | undefined, foundIn: TokenStream, found: Unit): Mismatch {
  const expected = { stream: expectedIn, items: missing?.items ?? [] }
  const mismatch = firstMismatch(expected, { stream: foundIn, items: found.items })
  return mismatch ?? mismatchOf(undefined, firstToken(found.items))
}

/** The units by key, repeated keys numbered; in the group's order. */
function unitsByKey(group: Group): ReadonlyMap<string, Unit> {
  const units = new Map<string, Unit>()
  const repeats = new Map<string, number>()
  for (const unit of group.units) {
    const repeat = repeats.get(unit.key) ?? 0
    repeats.set(unit.key, repeat + 1)
    units.set(`${repeat}:${unit.key}`, unit)
  }
  return units
}

/** Where a side had nothing more inside a group, what follows the group is compared with the other side. */
function completed(mismatch: Mismatch, reference: Selection, actual: Selection, next: number): Mismatch {
  return mismatchOf(
    mismatch.reference ?? firstToken(reference.items, next),
    mismatch.actual ?? firstToken(actual.items, next),
  )
}

function mismatchOf(reference: number | undefined, actual: number | undefined): Mismatch {
  return { reference, actual }
}

/** The first token at or after the item at `from`, or `undefined`. */
function firstToken(items: readonly Item[], from: number = 0): number | undefined {
  for (let index = from; index < items.length; index++) {
    const item = items[index]
    if (typeof item === 'number') return item
    for (const unit of item?.units ?? []) {
      const token = firstToken(unit.items)
      if (token !== undefined) return token
    }
  }
  return undefined
}

/** The text of items with groups in the order of their keys: equal texts mean equal items. */
export function textOf(stream: TokenStream, items: readonly Item[]): string {
  const texts: string[] = []
  collectTexts(stream, items, texts)
  return texts.join('\0')
}

function collectTexts(stream: TokenStream, items: readonly Item[], into: string[]): void {
  for (const item of items) {
    if (typeof item === 'number') into.push(stream.texts[item] ?? '')
    else for (const unit of inKeyOrder(item.units)) collectTexts(stream, unit.items, into)
  }
}

function inKeyOrder(units: readonly Unit[]): readonly Unit[] {
  return [...units].sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
}
