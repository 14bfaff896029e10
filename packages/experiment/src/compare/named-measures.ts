import type { ItemResult } from '../result/records.js'
import type { BothSides, Numbers } from './item-measures.js'
import type { PairedItem } from './pair-trials.js'

/** One named number of an item: on both sides over its pairs, and on each side over its trials. `null`: not there. */
export interface NamedMeasure {
  readonly name: string
  readonly paired: BothSides | null
  readonly before: number | null
  readonly after: number | null
}

type Side = readonly (Numbers | null)[]

/** Every named number of an item, in the order of appearance. */
export function namedMeasures(
  { before, after, pairs }: PairedItem,
  numbersOf: (trial: ItemResult) => Numbers | null,
): readonly NamedMeasure[] {
  // The numbers of a trial may take a while to read, and are read once.
  const [ownBefore, ownAfter] = [before.map(numbersOf), after.map(numbersOf)]
  const names = namesIn(ownBefore, ownAfter)
  if (names.length === 0) return []
  const places = pairs.map((pair) => [before.indexOf(pair.before), after.indexOf(pair.after)] as const)
  const paired = places.map(([one, other]) => [ownBefore[one] ?? null, ownAfter[other] ?? null] as const)
  return names.map((name) => ({
    name,
    paired: pairedMeans(paired, name),
    before: meanIn(ownBefore, name),
    after: meanIn(ownAfter, name),
  }))
}

function namesIn(...sides: readonly Side[]): readonly string[] {
  const names = new Set<string>()
  for (const side of sides) for (const numbers of side) for (const name of Object.keys(numbers ?? {})) names.add(name)
  return [...names]
}

function pairedMeans(pairs: readonly (readonly [Numbers | null, Numbers | null])[], name: string): BothSides | null {
  let [before, after, known] = [0, 0, 0]
  for (const [one, other] of pairs) {
    const [from, to] = [numberNamed(one, name), numberNamed(other, name)]
    if (from === undefined || to === undefined) continue
    before += from
    after += to
    known += 1
  }
  return known === 0 ? null : { before: before / known, after: after / known, pairs: known }
}

function meanIn(side: Side, name: string): number | null {
  let [sum, known] = [0, 0]
  for (const numbers of side) {
    const value = numberNamed(numbers, name)
    if (value === undefined) continue
    sum += value
    known += 1
  }
  return known === 0 ? null : sum / known
}

function numberNamed(numbers: Numbers | null, name: string): number | undefined {
  return numbers !== null && Object.hasOwn(numbers, name) ? numbers[name] : undefined
}
