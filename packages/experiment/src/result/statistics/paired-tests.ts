import { normalTail } from './distributions.js'
import { checkCounts, checkValues, statisticInvalid } from './invalid.js'

/**
 * The exact two-sided test on pairs that differ (McNemar 1947, in its binomial form): the probability of so uneven a
 * split when worse and better are equally likely, min(1, 2·P(X ≤ min)) with X ~ Bin(worse + better, 1/2).
 *
 * @returns 1 when no pair differs
 * @throws `statistic-invalid` for counts that are not whole numbers of at least 0
 */
export function mcnemarExact(worse: number, better: number): number {
  checkCounts('mcnemarExact', { worse, better })
  const n = worse + better
  const least = Math.min(worse, better)
  if (2 * least === n) return 1
  // The sum of C(n, 0) … C(n, least), divided by 2^n. Both may be beyond the largest number: powers of two are kept apart.
  let [term, sum, halvings] = [1, 1, n - 1]
  for (let chosen = 0; chosen < least; chosen += 1) {
    term *= (n - chosen) / (chosen + 1)
    sum += term
    if (sum > 2 ** 500) {
      term /= 2 ** 500
      sum /= 2 ** 500
      halvings -= 500
    }
  }
  // In two steps: 2^−n alone may be too small for a number when the result is not.
  const half = Math.floor(halvings / 2)
  return Math.min(1, sum * 2 ** -half * 2 ** -(halvings - half))
}

/** Two judges, or a jury and a member, on the units that both were scored on. */
export interface UnitDuel {
  /** The mean of one's share of matches less the other's on each unit. */
  readonly differences: readonly number[]
  /** Units on which one is right more often. */
  readonly onlyOne: number
  /** Units on which the other one is. */
  readonly onlyOther: number
  /** McNemar, exact and two-sided. */
  readonly pValue: number
}

/** Compares pairs of answers: repetitions of an item, and items of a cluster, depend on each other, so that each unit counts once. */
export function duelByUnit(
  pairs: readonly { readonly unit: string; readonly one: boolean; readonly other: boolean }[],
): UnitDuel {
  const units = new Map<string, { sum: number; trials: number }>()
  for (const { unit, one, other } of pairs) {
    const { sum, trials } = units.get(unit) ?? { sum: 0, trials: 0 }
    units.set(unit, { sum: sum + Number(one) - Number(other), trials: trials + 1 })
  }
  const differences = [...units.values()].map(({ sum, trials }) => sum / trials)
  const onlyOne = differences.filter((difference) => difference > 0).length
  const onlyOther = differences.filter((difference) => difference < 0).length
  return { differences, onlyOne, onlyOther, pValue: mcnemarExact(onlyOther, onlyOne) }
}

/** Whether paired differences lie around 0. */
export interface SignFlipTest {
  /**
   * `sign-flip-exact` counts all flips of signs; `sign-flip-normal` is its limit, for hundreds of differences and more; `stagewise`
   * counts what the looks of a comparison used that stops when it is decided, and `anytime` holds however
   * often two runs that grow are compared.
   */
  readonly method: 'sign-flip-exact' | 'sign-flip-normal' | 'stagewise' | 'anytime'
  readonly pValue: number
}

/**
 * The two-sided permutation test of paired differences: how likely a mean as far from 0 as theirs is when each of them could
 * as well have had the other sign (Fisher 1935, The Design of Experiments, section 21; Pitman 1937, Supplement to the
 * Journal of the Royal Statistical Society 4:119). It assumes no distribution and keeps its level with few items too.
 * Differences that all have one size make it McNemar's exact test.
 *
 * Few differences are enumerated. More are counted by the shift algorithm (Streitberg and Röhmel 1986, Statistical Software
 * Newsletter 12:10): exactly where they are fractions of a small denominator, as differences of pass rates are, else
 * rounded to enough steps that the p value keeps two digits. From 500 such differences on the normal limit is as good.
 *
 * @returns p = 1 where every difference is 0: zeros do not count
 * @throws `statistic-invalid` for differences that are not finite
 *
 * @example
 * import { signFlipTest } from '@jurist/experiment/compare'
 *
 * signFlipTest([1, 1, 1 / 3, -1 / 3, 2 / 3, 0]) // { method: 'sign-flip-exact', pValue: 0.1875 }
 */
export function signFlipTest(differences: readonly number[]): SignFlipTest {
  checkValues('signFlipTest', differences)
  const counted = Float64Array.from(differences).filter((difference) => Math.abs(difference) > accident)
  const sizes = counted.map(Math.abs)
  const [first = 0] = sizes
  if (sizes.every((size) => Math.abs(size - first) <= accident)) {
    const worse = counted.filter((difference) => difference < 0).length
    return { method: 'sign-flip-exact', pValue: mcnemarExact(worse, counted.length - worse) }
  }
  const steps = asFractions(counted, sizes)
  if (steps !== null) return { method: 'sign-flip-exact', pValue: byShifts(steps) }
  if (counted.length <= fewDifferences) return { method: 'sign-flip-exact', pValue: byEnumeration(counted, sizes) }
  return counted.length < manyDifferences
    ? { method: 'sign-flip-exact', pValue: byShifts(inFineSteps(counted, sizes)) }
    : { method: 'sign-flip-normal', pValue: byNormalLimit(counted) }
}

/** Tolerance for the rounding error of differences of means. */
const accident = 1e-12

/** The additions that a count may take: a hundredth of a second or two. */
const mostWork = 5e6

const [fewDifferences, manyDifferences] = [18, 500]

/** Large enough for pass rates over ten repetitions, some of them undecided, and for most scores. */
const largestDenominator = 2_520

/** The differences as whole multiples of one fraction; `null` without such a fraction, or with too many multiples to count. */
function asFractions(counted: Float64Array, sizes: Float64Array): Float64Array | null {
  const most = mostSteps(sizes) / sumOf(sizes)
  for (let denominator = 1; denominator <= Math.min(most, largestDenominator); denominator += 1)
    if (sizes.every((size) => isWhole(size * denominator)))
      return counted.map((difference) => Math.round(difference * denominator))
  return null
}

function isWhole(value: number): boolean {
  return Math.abs(value - Math.round(value)) < 1e-7
}

function inFineSteps(counted: Float64Array, sizes: Float64Array): Float64Array {
  const scale = mostSteps(sizes) / sumOf(sizes)
  return counted.map((difference) => Math.round(difference * scale))
}

/** How many steps all differences together may have; at most half of them are counted. */
function mostSteps(sizes: Float64Array): number {
  return (2 * mostWork) / sizes.length
}

/**
 * The sum of the steps is as far from 0 as it is where the negative ones add up to at most the smaller of both sides, or to
 * as much seen from the other end: the share of flips for which they do, sum by sum.
 */
function byShifts(steps: Float64Array): number {
  const [up, down] = [sumOf(steps.filter((step) => step > 0)), -sumOf(steps.filter((step) => step < 0))]
  if (up === down) return 1
  const limit = Math.min(up, down)
  const shares = new Float64Array(limit + 1)
  shares[0] = 1
  for (const step of steps) {
    const shift = Math.abs(step)
    for (let sum = limit; sum >= shift; sum -= 1) shares[sum] = ((shares[sum] ?? 0) + (shares[sum - shift] ?? 0)) / 2
    for (let sum = Math.min(shift - 1, limit); sum >= 0; sum -= 1) shares[sum] = (shares[sum] ?? 0) / 2
  }
  return Math.min(1, 2 * sumOf(shares))
}

/** All flips, each one sign away from the one before it: the order of Gray's code. The first sign stays, by symmetry. */
function byEnumeration(counted: Float64Array, sizes: Float64Array): number {
  const flipped = sizes.slice()
  const flips = 2 ** (sizes.length - 1)
  let sum = sumOf(sizes)
  const far = Math.abs(sumOf(counted)) - 1e-10 * sum
  let reached = sum >= far ? 1 : 0
  for (let flip = 1; flip < flips; flip += 1) {
    const place = 32 - Math.clz32(flip & -flip)
    const value = -(flipped[place] ?? 0)
    flipped[place] = value
    sum += 2 * value
    if (Math.abs(sum) >= far) reached += 1
  }
  return reached / flips
}

function byNormalLimit(counted: Float64Array): number {
  const squares = sumOf(counted.map((difference) => difference ** 2))
  return Math.min(1, 2 * normalTail(Math.abs(sumOf(counted)) / Math.sqrt(squares)))
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}

/**
 * The p values of several tests, adjusted so that together they report a false difference no more often than a single
 * test would: Holm 1979, A Simple Sequentially Rejective Multiple Test Procedure, Scandinavian Journal of Statistics
 * 6:65. It needs no independence, and never finds less than Bonferroni's correction.
 *
 * @returns the adjusted p values in the order that was given, at most 1
 * @throws `statistic-invalid` for a p value outside [0, 1]
 *
 * @example
 * import { holmAdjusted } from '@jurist/experiment/compare'
 *
 * holmAdjusted([0.01, 0.04, 0.03]) // [0.03, 0.06, 0.06]
 */
export function holmAdjusted(pValues: readonly number[]): readonly number[] {
  checkValues('holmAdjusted', pValues)
  const bad = pValues.find((pValue) => pValue < 0 || pValue > 1)
  if (bad !== undefined) statisticInvalid('holmAdjusted', `p values lie between 0 and 1, not at ${bad}`)
  const adjusted = [...pValues]
  let largest = 0
  const ascending = [...pValues.entries()].sort(([, one], [, other]) => one - other)
  for (const [rank, [place, pValue]] of ascending.entries()) {
    largest = Math.max(largest, Math.min(1, pValue * (pValues.length - rank)))
    adjusted[place] = largest
  }
  return adjusted
}
