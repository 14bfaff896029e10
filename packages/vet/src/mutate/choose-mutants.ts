import type { Closeness } from './changed-lines.js'
import { closenessOf } from './changed-lines.js'
import { type MarkedMutants, markOf } from './mutant-marks.js'
import { differing, type MutableSource, type Mutant } from './mutants.js'
import type { Operator } from './operator.js'
import { inTurn, seededOrder } from './seeded-order.js'

/** A file of a reference that can be mutated. */
export interface ReferenceFile {
  readonly read: MutableSource
  /** The same file in the item's workspace; `null`: it is new. */
  readonly before: string | null
}

/** A mutant of an item. */
export interface ChosenMutant extends Mutant {
  readonly path: string
  readonly closeness: Closeness
}

/** Which mutants are chosen. */
export interface ChoiceRules {
  readonly perItem: number
  readonly where: Closeness
  readonly seed: number
  readonly operators: readonly Operator[]
}

/** The mutants of an item, and those that are left out. */
export interface ChosenMutants {
  readonly chosen: readonly ChosenMutant[]
  /** How many there are in the part that may be mutated. */
  readonly made: number
  /** Left out of the first ones, since they do not parse, or equal the source or another mutant but for layout. */
  readonly alike: number
  /** Left out since a person marked them as equivalent. */
  readonly accepted: number
}

const closer: readonly Closeness[] = ['changed', 'function', 'rest']

/**
 * Chooses mutants: those of changed lines first, then those of their functions, then the rest; among these the operators in
 * turn, in an order that the seed decides.
 */
export async function chooseMutants(
  itemId: string,
  files: readonly ReferenceFile[],
  marks: MarkedMutants,
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
    const strata = seededOrder([...byOperator(near)], `${seed} ${itemId}`, ([name]) => name)
    return inTurn(strata.map(([, list]) => seededOrder(list, `${seed} ${itemId}`, keyOf)))
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

function byOperator<Of extends Mutant>(mutants: readonly Of[]): ReadonlyMap<string, readonly Of[]> {
  const found = new Map<string, Of[]>()
  for (const mutant of mutants) {
    const list = found.get(mutant.operator)
    if (list === undefined) found.set(mutant.operator, [mutant])
    else list.push(mutant)
  }
  return found
}

function keyOf({ path, start, end, text }: ChosenMutant): string {
  return `${path} ${start} ${end} ${text}`
}

function isMarked(mark: ReturnType<typeof markOf>, marks: MarkedMutants): boolean {
  return marks.some(({ path, before, after }) => path === mark.path && before === mark.before && after === mark.after)
}
