import { groupBy } from '@jurist/kit/group-by'
import { tokensOf } from '../result/spending.js'
import { type Trial, takenMs } from '../result/trial-figures.js'

/** The fields by which trials are paired. */
type NamedTrial = Pick<Trial, 'itemId' | 'itemHash' | 'repetition'>

/** The trials of one item with the same repetition. */
interface TrialPair<One extends NamedTrial = Trial> {
  readonly before: One
  readonly after: One
}

/** The trials of one item on both sides. */
export interface PairedItem<One extends NamedTrial = Trial> {
  readonly itemId: string
  readonly before: readonly One[]
  readonly after: readonly One[]
  readonly pairs: readonly TrialPair<One>[]
  /** Whether the item was another task on the other side. */
  readonly changed: boolean
}

/**
 * The items of two runs with their trials paired by repetition: in the candidate's order, then the items that only the
 * baseline has.
 */
export function* pairTrials<One extends NamedTrial>(
  baseline: readonly One[],
  candidate: readonly One[],
): Generator<PairedItem<One>, void> {
  if (haveSameItems(baseline, candidate)) {
    for (const [index, trial] of candidate.entries()) {
      const partner = baseline[index]
      yield pairedItem(trial.itemId, partner === undefined ? [] : [partner], [trial])
    }
    return
  }
  const byItem = (trials: readonly One[]) => groupBy(trials, ({ itemId }) => itemId)
  const [before, after] = [byItem(baseline), byItem(candidate)]
  for (const [itemId, trials] of after) yield pairedItem(itemId, before.get(itemId) ?? [], trials)
  for (const [itemId, trials] of before) if (!after.has(itemId)) yield pairedItem(itemId, trials, [])
}

/** Whether both sides have the same items in the same order, each once: most long runs do, and need no tables. */
function haveSameItems(baseline: readonly NamedTrial[], candidate: readonly NamedTrial[]): boolean {
  if (baseline.length !== candidate.length) return false
  const ids = new Set<string>()
  for (const [index, { itemId }] of candidate.entries()) {
    if (baseline[index]?.itemId !== itemId) return false
    ids.add(itemId)
  }
  return ids.size === candidate.length
}

function pairedItem<One extends NamedTrial>(
  itemId: string,
  before: readonly One[],
  after: readonly One[],
): PairedItem<One> {
  const pairs: TrialPair<One>[] = []
  for (const trial of after) {
    const partner = repeated(before, trial.repetition)
    if (partner !== undefined) pairs.push({ before: partner, after: trial })
  }
  return { itemId, before, after, pairs, changed: pairs.some(isChanged) }
}

function repeated<One extends NamedTrial>(trials: readonly One[], repetition: number): One | undefined {
  for (const trial of trials) if (trial.repetition === repetition) return trial
  return undefined
}

function isChanged({ before, after }: TrialPair<NamedTrial>): boolean {
  return before.itemHash !== after.itemHash
}

/** The means of something over the pairs of an item that have it on both sides. */
export interface BothSides {
  readonly before: number
  readonly after: number
  readonly pairs: number
}

/** Reads a number from a trial; `null` or `undefined` if it is unknown. */
type Measure<One> = (trial: One) => number | null | undefined

export type Numbers = Readonly<Record<string, number>>

/** The means over the pairs of an item in which the value is known on both sides; `null`: in none. */
export function bothSides<One extends NamedTrial>(
  pairs: readonly TrialPair<One>[],
  measure: Measure<One>,
): BothSides | null {
  let [before, after, known] = [0, 0, 0]
  for (const pair of pairs) {
    const [one, other] = [measure(pair.before), measure(pair.after)]
    if (one === null || one === undefined || other === null || other === undefined) continue
    before += one
    after += other
    known += 1
  }
  return known === 0 ? null : { before: before / known, after: after / known, pairs: known }
}

export interface ItemAmounts {
  readonly costUsd: BothSides | null
  readonly tokens: BothSides | null
  readonly durationMs: BothSides | null
}

/** The amounts of an item on both sides; `null` if it was another task on the other side. */
export function itemAmounts({ pairs, changed }: Pick<PairedItem, 'pairs' | 'changed'>): ItemAmounts {
  if (changed) return { costUsd: null, tokens: null, durationMs: null }
  return {
    costUsd: bothSides(pairs, costNumber),
    tokens: bothSides(pairs, tokenNumber),
    durationMs: bothSides(pairs, takenMs),
  }
}

export function costNumber({ costUsd }: Pick<Trial, 'costUsd'>): number | null {
  return costUsd
}

/** 1: passed, 0: failed, `null`: undecided. */
export function passedNumber({ passed }: Pick<Trial, 'passed'>): number | null {
  return passed === null ? null : Number(passed)
}

function tokenNumber({ usage }: Trial): number | null {
  return tokensOf(usage)
}

/** One named number of an item: on both sides over its pairs, and on each side over its trials. `null`: not there. */
export interface NamedMeasure {
  readonly name: string
  readonly paired: BothSides | null
  readonly before: number | null
  readonly after: number | null
}

type Side = readonly (Numbers | null)[]

/** The value of a name in a trial that lacks it while its partner has it; `undefined`: the pair does not count. */
type Absent = (trial: Trial, name: string) => number | undefined

/** Every named number of an item, in the order of appearance. */
export function namedMeasures(
  { before, after, pairs }: PairedItem,
  numbersOf: (trial: Trial) => Numbers | null,
  absent: Absent = () => undefined,
): readonly NamedMeasure[] {
  // The numbers of a trial may take a while to read, and are read once.
  const [ownBefore, ownAfter] = [before.map(numbersOf), after.map(numbersOf)]
  const names = namesIn(ownBefore, ownAfter)
  if (names.length === 0) return none
  const paired = pairs.map((pair) => ({
    ...pair,
    numbersBefore: ownBefore[before.indexOf(pair.before)] ?? null,
    numbersAfter: ownAfter[after.indexOf(pair.after)] ?? null,
  }))
  return names.map((name) => ({
    name,
    paired: pairedMeans(paired, name, absent),
    before: meanIn(ownBefore, name),
    after: meanIn(ownAfter, name),
  }))
}

const none: readonly never[] = []

function namesIn(...sides: readonly Side[]): readonly string[] {
  // Most items have no checks and no efficiency, and the same scores in every trial.
  let first: Numbers | undefined
  let others: Set<string> | undefined
  for (const side of sides)
    for (const numbers of side) {
      if (numbers === null) continue
      first ??= numbers
      if (numbers === first) continue
      for (const name in numbers) {
        if (Object.hasOwn(first, name)) continue
        others ??= new Set()
        others.add(name)
      }
    }
  return first === undefined ? none : others === undefined ? Object.keys(first) : [...Object.keys(first), ...others]
}

interface PairedNumbers extends TrialPair {
  readonly numbersBefore: Numbers | null
  readonly numbersAfter: Numbers | null
}

function pairedMeans(pairs: readonly PairedNumbers[], name: string, absent: Absent): BothSides | null {
  let [before, after, known] = [0, 0, 0]
  for (const pair of pairs) {
    const [one, other] = [numberNamed(pair.numbersBefore, name), numberNamed(pair.numbersAfter, name)]
    if (one === undefined && other === undefined) continue
    const [from, to] = [one ?? absent(pair.before, name), other ?? absent(pair.after, name)]
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
  const number: unknown = numbers?.[name]
  // A score may have the name of an inherited property, such as `constructor`.
  return typeof number === 'number' ? number : undefined
}
