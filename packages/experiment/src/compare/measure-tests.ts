import { bootstrapInterval, widenedBootstrap } from '../result/statistics/bootstrap.js'
import { meanOf, standardError } from '../result/statistics/descriptive.js'
import { normalQuantile } from '../result/statistics/distributions.js'
import { holmAdjusted, signFlipTest } from '../result/statistics/paired-tests.js'
import type { Interval } from '../result/summary.js'
import type { CompareSettings } from './compare-options.js'
import type { MeanTest, PairedDelta, ScoreComparison } from './comparison.js'
import type { BothSides, NamedMeasure } from './measures.js'

/** The means of items on both sides, the same item at the same place. Two lists of numbers are kept where objects would be many. */
export interface PairedColumn {
  readonly before: number[]
  readonly after: number[]
}

export function pairedColumn(): PairedColumn {
  return { before: [], after: [] }
}

/** Adds an item to a column. `null`: it does not have the measure on both sides. */
export function addSides({ before, after }: PairedColumn, sides: Pick<BothSides, 'before' | 'after'> | null): void {
  if (sides === null) return
  before.push(sides.before)
  after.push(sides.after)
}

interface NamedColumn {
  readonly paired: PairedColumn
  readonly before: { sum: number; items: number }
  readonly after: { sum: number; items: number }
}

/** Named measures over all items, in the order of appearance. */
export type NamedColumns = Map<string, NamedColumn>

/** Adds the measures of an item to columns. */
export function addNamed(columns: NamedColumns, measures: readonly NamedMeasure[]): void {
  for (const { name, paired, before, after } of measures) {
    let column = columns.get(name)
    if (column === undefined) {
      column = { paired: pairedColumn(), before: { sum: 0, items: 0 }, after: { sum: 0, items: 0 } }
      columns.set(name, column)
    }
    addSides(column.paired, paired)
    count(column.before, before)
    count(column.after, after)
  }
}

/** Means on both sides, of the names that an item has on both. */
export function namedDeltas(columns: NamedColumns, settings: CompareSettings): Readonly<Record<string, PairedDelta>> {
  const deltas = [...columns].map(([name, { paired }]) => [name, pairedDelta(paired, settings)] as const)
  return Object.fromEntries(deltas.flatMap(([name, delta]) => (delta === null ? [] : [[name, delta]])))
}

/** The comparison of every name, with tests that are corrected together. */
export function namedComparisons(columns: NamedColumns, settings: CompareSettings): Scores {
  const scores = [...columns].map(([name, column]) => [name, comparisonOf(name, column, settings)] as const)
  return adjustedScores([Object.fromEntries(scores)])[0] ?? {}
}

function count(total: { sum: number; items: number }, mean: number | null): void {
  if (mean === null) return
  total.sum += mean
  total.items += 1
}

function comparisonOf(
  name: string,
  { paired, before, after }: NamedColumn,
  settings: CompareSettings,
): ScoreComparison {
  const tolerance = settings.toleranceOf(name)
  const deltas = deltasOf(paired)
  const improvements = deltas.filter((delta) => delta > tolerance).length
  const regressions = deltas.filter((delta) => delta < -tolerance).length
  return {
    ...(pairedRateDelta(paired, settings) ?? nothingPaired),
    improvements,
    regressions,
    unchanged: deltas.length - improvements - regressions,
    ...(deltas.length === 0 ? {} : { permutation: meanTest(deltas) }),
    overall: {
      baselineMean: before.items === 0 ? null : before.sum / before.items,
      baselineItems: before.items,
      candidateMean: after.items === 0 ? null : after.sum / after.items,
      candidateItems: after.items,
    },
  }
}

const nothingPaired = {
  items: 0,
  baselineMean: null,
  candidateMean: null,
  delta: null,
  standardError: null,
  interval: null,
} as const

const defaultResamples = 10_000

/** Items above which the mean is as good as normal, and a bootstrap of 10,000 resamples would take long. */
const manyItems = 2_000

/** The means of items on both sides, with the interval and tests of their difference; `null`: there is no item. */
export function pairedDelta(column: PairedColumn, settings: CompareSettings): PairedDelta | null {
  const { before, after } = column
  if (before.length === 0) return null
  const deltas = deltasOf(column)
  const delta = meanOf(deltas)
  const error = standardError(deltas)
  return {
    items: before.length,
    baselineMean: meanOf(before),
    candidateMean: meanOf(after),
    delta,
    standardError: error,
    interval: intervalOf(deltas, delta, error, settings),
  }
}

/** Like `pairedDelta`, for rates and scores: where all means are within [0, 1], no difference exceeds 1. */
export function pairedRateDelta(column: PairedColumn, settings: CompareSettings): PairedDelta | null {
  const delta = pairedDelta(column, settings)
  const isRate = (value: number) => value >= 0 && value <= 1
  if (delta === null || delta.interval === null) return delta
  if (!column.before.every(isRate) || !column.after.every(isRate)) return delta
  const { low, high } = delta.interval
  return { ...delta, interval: { ...delta.interval, low: Math.max(-1, low), high: Math.min(1, high) } }
}

/** The differences of items, candidate minus baseline. */
export function deltasOf({ before, after }: PairedColumn): readonly number[] {
  return after.map((value, index) => value - (before[index] ?? 0))
}

function intervalOf(
  deltas: readonly number[],
  mean: number,
  error: number | null,
  { level, resamples, seed }: CompareSettings,
): Interval | null {
  // Resamples that were asked for give the plain percentile interval, as other programs have it.
  if (resamples !== undefined) return bootstrapInterval(deltas, { level, seed, resamples })
  if (deltas.length <= manyItems) return widenedBootstrap(deltas, { level, seed, resamples: defaultResamples })
  if (error === null || error === 0) return null
  const half = normalQuantile((1 + level) / 2) * error
  return { low: mean - half, high: mean + half, level, method: 'normal' }
}

/** The test of item differences, before correction for further tests. */
export function meanTest(deltas: readonly number[]): MeanTest {
  const test = signFlipTest(deltas)
  return { ...test, adjustedPValue: test.pValue, tests: 1 }
}

export type Scores = Readonly<Record<string, ScoreComparison>>

/** Scores of one comparison or several, each with its test among the tests of all of them. */
export function adjustedScores(families: readonly Scores[]): readonly Scores[] {
  const tested = families.flatMap((scores) => Object.values(scores)).filter(isTested)
  const adjusted = adjustedTests(tested.map(({ permutation }) => permutation))
  const byScore = new Map<ScoreComparison, MeanTest | undefined>(tested.map((one, index) => [one, adjusted[index]]))
  return families.map((scores) =>
    Object.fromEntries(
      Object.entries(scores).map(([name, one]) => {
        const permutation = byScore.get(one)
        return [name, permutation === undefined ? one : { ...one, permutation }]
      }),
    ),
  )
}

/** Corrects tests together: the p value of each is raised by Holm's method. */
export function adjustedTests(tests: readonly MeanTest[]): readonly MeanTest[] {
  const adjusted = holmAdjusted(tests.map(({ pValue }) => pValue))
  return tests.map((test, index) => ({ ...test, adjustedPValue: adjusted[index] ?? 1, tests: tests.length }))
}

function isTested(score: ScoreComparison): score is ScoreComparison & { readonly permutation: MeanTest } {
  return score.permutation !== undefined
}
