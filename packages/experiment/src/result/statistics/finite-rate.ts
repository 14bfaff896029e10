import { bets, type Ends, meanSequence } from './bets.js'
import { logGamma } from './distributions.js'
import { checkCounts, statisticInvalid } from './invalid.js'
import { firstLook } from './sequential.js'

/** A part of a finite set of items, in random order, and the share of all that must pass. */
export interface ThresholdInput {
  readonly passed: number
  /** How many of them have ended. */
  readonly items: number
  readonly planned: number
  /** Above 0, at most 1. */
  readonly threshold: number
  /** Default 0.05. */
  readonly alpha?: number
}

/** A natural logarithm; or settled by counting. */
type ThresholdEvidence = number | 'certain' | 'impossible'

/** Evidence that all items would meet a threshold, and that they would miss it. */
interface ThresholdTest {
  readonly met: ThresholdEvidence
  readonly missed: ThresholdEvidence
}

/** The evidence of some of the items about all of them, and about items like these. */
export interface ThresholdState extends ThresholdTest {
  /** How many of all must pass. */
  readonly need: number
  /** The interval of the number of items that pass. */
  readonly fewest: number
  readonly most: number
  /** An interval of the pass rate of items like these. */
  readonly low: number
  readonly high: number
}

/**
 * The evidence of items drawn without replacement about all of them: ratios of the chance of their sequence, given how many of all pass
 * (Waudby-Smith and Ramdas 2020, NeurIPS 33). Valid after each item.
 *
 * @throws `statistic-invalid` for counts that are negative, not whole or larger than the whole, a threshold outside (0, 1], an alpha
 * outside (0, 0.5]
 */
export function thresholdEvidence(input: ThresholdInput): ThresholdState {
  const { passed, items, planned, threshold, alpha = 0.05 } = input
  checkCounts('thresholdEvidence', { passed, items, planned })
  checkThreshold('thresholdEvidence', threshold, alpha)
  if (passed > items) statisticInvalid('thresholdEvidence', `passed must not exceed items, but ${passed} > ${items}`)
  if (items > planned) statisticInvalid('thresholdEvidence', `items must not exceed planned, but ${items} > ${planned}`)
  const need = needed(threshold, planned)
  const chances = likelihoods(passed, items, planned)
  const least = logSum(chances) - Math.log(planned + 1) + Math.log(alpha)
  const first = chances.findIndex((chance) => chance > least)
  const last = chances.findLastIndex((chance) => chance > least)
  const test = thresholdTest(chances, passed, planned, need)
  return { need, ...test, fewest: passed + first, most: passed + last, ...likeCounts(passed, items, alpha) }
}

/** The pass rate of items like these, which holds after each item. */
function likeCounts(passed: number, items: number, alpha: number): Ends {
  const lowest = logGamma(passed + 1) + logGamma(items - passed + 1) - logGamma(items + 2) + Math.log(alpha)
  const isInside = (rate: number) => times(passed, Math.log(rate)) + times(items - passed, Math.log1p(-rate)) > lowest
  const from = items === 0 ? 0.5 : passed / items
  return { low: lastInside(from, 0, isInside), high: lastInside(from, 1, isInside) }
}

/** An interval of the pass rate of items like these, from the rate of each item, which holds after each item. */
export function likeInterval(rates: readonly number[], alpha = 0.05): Ends {
  const passed = rates.filter((rate) => rate === 1).length
  const isSingle = rates.every((rate) => rate === 0 || rate === 1)
  return isSingle ? likeCounts(passed, rates.length, alpha) : meanSequence(rates, 1 - alpha)
}

function checkThreshold(statistic: string, threshold: number, alpha: number): void {
  if (!(threshold > 0 && threshold <= 1)) statisticInvalid(statistic, `threshold must lie in (0, 1], not ${threshold}`)
  if (!(alpha > 0 && alpha <= 0.5)) statisticInvalid(statistic, `alpha must lie in (0, 0.5], not ${alpha}`)
}

function needed(threshold: number, planned: number): number {
  return Math.ceil(threshold * planned - 1e-9)
}

function times(count: number, logarithm: number): number {
  return count === 0 ? 0 : count * logarithm
}

/** The value nearest to `end` that is inside, by bisection from one that is. */
function lastInside(from: number, end: number, isInside: (value: number) => boolean): number {
  if (isInside(end)) return end
  let [inner, outer] = [from, end]
  for (let middle = (inner + outer) / 2; middle !== inner && middle !== outer; middle = (inner + outer) / 2)
    if (isInside(middle)) inner = middle
    else outer = middle
  return inner
}

/**
 * The chance of the sequence for each possible number of all that pass, from `passed` on: logarithms, of one unknown unit, which every
 * ratio is free of. So nothing is too large or small.
 */
function likelihoods(passed: number, items: number, planned: number): Float64Array {
  const chances = new Float64Array(planned - items + 1)
  for (let more = 1; more < chances.length; more += 1) {
    const all = passed + more
    const failing = planned - all + 1
    const odds = (all / more) * ((failing - (items - passed)) / failing)
    chances[more] = (chances[more - 1] ?? 0) + Math.log(odds)
  }
  return chances
}

function logSum(logs: Float64Array): number {
  const most = logs.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY)
  return most === Number.NEGATIVE_INFINITY
    ? most
    : most + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - most), 0))
}

function thresholdTest(chances: Float64Array, passed: number, planned: number, need: number): ThresholdTest {
  const place = Math.min(Math.max(need - passed, 0), chances.length)
  function ratio(part: Float64Array, values: number, other: number): ThresholdEvidence {
    const sum = logSum(part)
    const against = chances[other - passed] ?? Number.NEGATIVE_INFINITY
    if (sum === Number.NEGATIVE_INFINITY) return 'impossible'
    return against === Number.NEGATIVE_INFINITY ? 'certain' : sum - Math.log(values) - against
  }
  return {
    met: ratio(chances.subarray(place), planned - need + 1, need - 1),
    missed: ratio(chances.subarray(0, place), need, need),
  }
}

/** The rule of a run that stops as soon as a threshold of its pass rate is settled. */
export interface ThresholdRule {
  readonly planned: number
  readonly threshold: number
  /** Trials of an item. */
  readonly repetitions: number
  /** Default 0.05. */
  readonly alpha?: number
}

/** A run against a threshold as it grows. After a stop, further items do not count. */
export interface ThresholdLooks {
  /** The share of the planned trials of the next item in seeded order that passed. */
  take(share: number): void
  readonly now: ThresholdTest & {
    /** How many items there were at the stop; `null`: not decided. */
    readonly stop: number | null
    readonly why: 'met' | 'missed' | null
    readonly items: number
    /** The sum of their shares. */
    readonly passed: number
  }
  /** Intervals of the share of all items that passes, and of the pass rate of items like these. */
  intervals(): { readonly all: Ends; readonly like: Ends }
}

/**
 * Looks after each item from the tenth on, and before as soon as counting settles it. Items of several trials are values between 0
 * and 1, on which bets without replacement are placed.
 *
 * @throws `statistic-invalid` for a threshold outside (0, 1], an alpha outside (0, 0.5], more items than planned
 */
export function thresholdLooks({ planned, threshold, repetitions, alpha = 0.05 }: ThresholdRule): ThresholdLooks {
  checkThreshold('thresholdLooks', threshold, alpha)
  const need = needed(threshold, planned)
  const line = -Math.log(alpha) - 1e-12
  const wanted = threshold * planned
  const placed = bets()
  const values: number[] = []
  let passed = 0
  let [met, missed]: ThresholdEvidence[] = [0, 0]
  let why: 'met' | 'missed' | null = null
  const isSettled = (evidence: ThresholdEvidence | undefined) =>
    evidence === 'certain' || (typeof evidence === 'number' && values.length >= firstLook && evidence >= line)

  function test(): ThresholdTest {
    if (repetitions === 1) return thresholdTest(likelihoods(passed, values.length, planned), passed, planned, need)
    const left = wanted - passed
    if (left <= 1e-9) return { met: 'certain', missed: 'impossible' }
    if (left > planned - values.length + 1e-9) return { met: 'impossible', missed: 'certain' }
    return { met: placed.above(), missed: placed.below() }
  }
  return {
    take(share) {
      if (why !== null) return
      if (values.length >= planned) statisticInvalid('thresholdLooks', `only ${planned} items are planned`)
      const mean = (wanted - passed) / (planned - values.length)
      if (repetitions > 1) placed.take(share, Math.min(1, mean))
      values.push(share)
      passed += share
      ;({ met, missed } = test())
      if (isSettled(met)) why = 'met'
      else if (isSettled(missed)) why = 'missed'
    },
    get now() {
      const stop = why === null ? null : values.length
      return { stop, why, items: values.length, passed, met: met ?? 0, missed: missed ?? 0 }
    },
    intervals() {
      const like = likeInterval(values, alpha)
      if (repetitions > 1) return { all: meanSequence(values, 1 - alpha, planned), like }
      const { fewest, most } = thresholdEvidence({ passed, items: values.length, planned, threshold, alpha })
      return { all: { low: fewest / planned, high: most / planned }, like }
    },
  }
}

/**
 * The mean share of the items that a run against a threshold needs until it is decided, when items pass with this rate: one trial of
 * each item.
 */
export function thresholdShare(rule: Pick<ThresholdRule, 'planned' | 'threshold' | 'alpha'>, rate: number): number {
  const { planned, threshold, alpha = 0.05 } = rule
  const [need, line] = [needed(threshold, planned), -Math.log(alpha) - 1e-12]
  const isSettled = (passed: number, items: number) => {
    const test = thresholdTest(likelihoods(passed, items, planned), passed, planned, need)
    return Object.values(test).some(
      (evidence) => evidence === 'certain' || (items >= firstLook && typeof evidence === 'number' && evidence >= line),
    )
  }
  // The numbers of passes that decide nothing yet are neighbours: they move up with the items.
  let alive = Float64Array.of(1)
  let [fewest, run] = [0, 0]
  for (let items = 1; items <= planned && alive.length > 0; items += 1) {
    run += alive.reduce((sum, chance) => sum + chance, 0)
    const next = new Float64Array(alive.length + 1)
    for (const [place, chance] of alive.entries()) {
      next[place] = (next[place] ?? 0) + chance * (1 - rate)
      next[place + 1] = chance * rate
    }
    let [first, end] = [0, next.length]
    while (first < end && isSettled(fewest + first, items)) first += 1
    while (end > first && isSettled(fewest + end - 1, items)) end -= 1
    fewest += first
    alive = next.slice(first, end)
  }
  return run / planned
}
