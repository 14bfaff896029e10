import type { ItemResult } from '../result/records.js'
import { type BothSides, bothSides, meanOver, type Numbers, numberNamed } from './item-measures.js'
import type { PairedItem } from './pair-trials.js'

/** One named number of an item: on both sides over its pairs, and on each side over its trials. `null`: not there. */
export interface NamedMeasure {
  readonly name: string
  readonly paired: BothSides | null
  readonly before: number | null
  readonly after: number | null
}

/** Every named number of an item, in the order of appearance. */
export function namedMeasures(
  { before, after, pairs }: PairedItem,
  numbersOf: (trial: ItemResult) => Numbers | null,
): readonly NamedMeasure[] {
  // Most items have one trial a side, and reading the numbers of a trial may take a while: once is enough.
  const known = new Map([...before, ...after].map((trial) => [trial, numbersOf(trial)]))
  const names = new Set([...known.values()].flatMap((numbers) => Object.keys(numbers ?? {})))
  return [...names].map((name) => {
    const measure = (trial: ItemResult) => numberNamed(known.get(trial) ?? null, name)
    return {
      name,
      paired: bothSides(pairs, measure),
      before: meanOver(before, measure),
      after: meanOver(after, measure),
    }
  })
}
