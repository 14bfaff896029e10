import { groupBy } from '@jurist/kit/group-by'
import { lineDiff } from '@jurist/kit/text-diff'
import { seededOrder } from '../seeded-order.js'
import type { Span } from './language/construct.js'
import { differing, isMarked, lineFinder, type MutableSource, type Mutant, type MutantMark, markOf } from './mutants.js'
import type { Operator } from './operators.js'

/** The place of a mutant: a line that the reference changed, a function with such a line, or the rest of the file. */
export type Closeness = 'changed' | 'function' | 'rest'

/** Creates a function that returns how close a span is to the changes of the reference. */
function closenessOf(before: string | null, source: string, functions: readonly Span[]): (span: Span) => Closeness {
  if (before === null) return () => 'changed'
  const lines = changedLines(before.split('\n'), source.split('\n'))
  const lineOf = lineFinder(source)
  const isChanged = ({ start, end }: Span) => {
    for (let line = lineOf(start); line <= lineOf(end); line++) if (lines.has(line)) return true
    return false
  }
  const around = functions.filter(isChanged)
  // Only the innermost functions count: otherwise a module that is one function would be close as a whole.
  const close = around.filter((one) => !around.some((other) => other !== one && holds(one, other)))
  return (span) =>
    lines.has(lineOf(span.start)) ? 'changed' : close.some((one) => holds(one, span)) ? 'function' : 'rest'
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end
}

/** Returns the new lines, counted from 1, and those that follow removed ones. */
function changedLines(before: readonly string[], after: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>()
  let isAfterRemoval = false
  for (const line of lineDiff(before, after)) {
    if (line.kind === 'added' || (isAfterRemoval && line.kind === 'same')) found.add(line.after ?? 0)
    isAfterRemoval = line.kind === 'removed'
  }
  return found
}

/** Interleaves the lists: their first elements, then their second ones, and so on. */
function inTurn<Value>(lists: readonly (readonly Value[])[]): readonly Value[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => (index < list.length ? [list[index] as Value] : [])),
  ).flat()
}

/** Lets the groups take turns, in an order that depends on the seed. */
export function seededTurns<Value>(
  values: readonly Value[],
  seed: string,
  groupOf: (value: Value) => string,
  keyOf: (value: Value) => string,
): readonly Value[] {
  const groups = seededOrder([...groupBy(values, groupOf)], seed, ([name]) => name)
  return inTurn(groups.map(([, list]) => seededOrder(list, seed, keyOf)))
}

/** A file of a reference that can be mutated. */
export interface ReferenceFile {
  readonly read: MutableSource
  /** The same file in the item's workspace; `null` if the file is new. */
  readonly before: string | null
}

/** A mutant of an item. */
export interface ChosenMutant extends Mutant {
  readonly path: string
  readonly closeness: Closeness
}

export interface ChoiceRules {
  readonly perItem: number
  readonly where: Closeness
  readonly seed: number
  readonly operators: readonly Operator[]
}

/** The mutants of an item, with the numbers of those that were left out. */
export interface ChosenMutants {
  readonly chosen: readonly ChosenMutant[]
  /** The number of mutants in the part that may be mutated. */
  readonly made: number
  /**
   * The number that was left out because they do not parse, or differ from the source or another mutant only in layout.
   */
  readonly alike: number
  /** The number that was left out because a person marked them as equivalent. */
  readonly accepted: number
}

const closer: readonly Closeness[] = ['changed', 'function', 'rest']

/**
 * Chooses mutants: first those of changed lines, then those of the functions around them, then the rest. Within each
 * group, operators take turns in an order that depends on the seed.
 */
export async function chooseMutants(
  itemId: string,
  files: readonly ReferenceFile[],
  marks: readonly MutantMark[],
  { perItem, where, seed, operators }: ChoiceRules,
): Promise<ChosenMutants> {
  const allowed = closer.slice(0, closer.indexOf(where) + 1)
  const all = files.flatMap(({ read, before }) => {
    const closeness = closenessOf(before, read.source, read.functions)
    return read
      .candidates(operators)
      .map((mutant) => ({ ...mutant, path: read.path, closeness: closeness(mutant), read }))
  })
  const candidates = all.filter(({ closeness }) => allowed.includes(closeness))
  const ordered = allowed.flatMap((level) => {
    const near = candidates.filter(({ closeness }) => closeness === level)
    return seededTurns(near, `${seed} ${itemId}`, ({ operator }) => operator, keyOf)
  })
  const isNew = new Map(files.map(({ read }) => [read.path, differing(read)]))
  const chosen: ChosenMutant[] = []
  const left = { alike: 0, accepted: 0 }
  for (const { read, ...mutant } of ordered) {
    if (chosen.length >= perItem) break
    if (isMarked(markOf(read.path, read.source, mutant), marks)) left.accepted += 1
    else if ((await isNew.get(read.path)?.(mutant)) === true) chosen.push(mutant)
    else left.alike += 1
  }
  return { chosen, made: candidates.length, ...left }
}

function keyOf({ path, start, end, text }: ChosenMutant): string {
  return `${path} ${start} ${end} ${text}`
}
