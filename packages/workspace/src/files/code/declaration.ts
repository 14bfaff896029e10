import type { TokenStream } from './token-stream.js'

/**
 * A declaration, an import, a statement: an element with a key that is compared with the element of the same key.
 * `first` and `last` are its first and last token.
 */
export interface Member {
  readonly key: string
  readonly first: number
  readonly last: number
  readonly parts: readonly Part[]
  /**
   * The kind of the element. Elements with the same key and sort are paired first, then the rest. Default: all have the
   * same sort.
   */
  readonly sort?: string
  /** Whether it is paired by its whole source, because its key is not distinctive: other statements of a module. */
  readonly anonymous?: boolean
  /** Members of one sequence keep their order. If absent, the position does not count. */
  readonly sequence?: string
  /** Whether it may change places with movable neighbours in the sequence. */
  readonly movable?: boolean
  /** The declarations inside it. */
  readonly members?: readonly Member[]
}

/** A part of a member that gets a separate difference. */
export interface Part {
  readonly kind: 'header' | 'differs'
  /** Its name in messages: `body`, `signature`. */
  readonly label: string
  readonly items: readonly Item[]
  /** The token after the part, which is shown if the part is too short. */
  readonly end: number
}

/** A piece of a declaration: the index of a token, or a group of units whose order does not count. */
export type Item = number | Group

/** Units whose order does not count. Those with equal keys are matched in their order. */
export interface Group {
  readonly units: readonly Unit[]
}

/** One element of a group: an `implements` entry, an annotation, a function of a block. */
export interface Unit {
  readonly key: string
  readonly items: readonly Item[]
}

/** A stream and the items of it that are compared. */
export interface Selection {
  readonly stream: TokenStream
  readonly items: readonly Item[]
}

/** The first tokens in which two selections differ. An index is absent if that side has ended there. */
export interface Mismatch {
  readonly reference?: number
  readonly actual?: number
}

/** Finds the first difference of two selections, in the order of the actual side; `undefined` if they are equal. */
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

/** Finds where an unexpected unit differs from the missing one that it may replace. */
function unitMismatch(expectedIn: TokenStream, missing: Unit | undefined, foundIn: TokenStream, found: Unit): Mismatch {
  const expected = { stream: expectedIn, items: missing?.items ?? [] }
  const mismatch = firstMismatch(expected, { stream: foundIn, items: found.items })
  return mismatch ?? mismatchOf(undefined, firstToken(found.items))
}

/** Returns the units by key, in the group's order. Repeated keys are numbered. */
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

/** If a side ended inside a group, compares what follows the group with the other side. */
function completed(mismatch: Mismatch, reference: Selection, actual: Selection, next: number): Mismatch {
  return mismatchOf(
    mismatch.reference ?? firstToken(reference.items, next),
    mismatch.actual ?? firstToken(actual.items, next),
  )
}

function mismatchOf(reference: number | undefined, actual: number | undefined): Mismatch {
  return { reference, actual }
}

/** Returns the first token at or after the item at `from`, or `undefined`. */
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

/** Serializes items, with groups in the order of their keys: equal strings mean equal items. */
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
