import { countedTrials } from '../result/quarantine.js'
import { marginBets, notWorse } from '../result/statistics/bets.js'
import { type RunResult, type Trial, takenMs } from '../result/trial-figures.js'
import type { Comparison, MeanTest } from './comparison.js'
import {
  addSides,
  adjustedScores,
  adjustedTests,
  deltasOf,
  meanTest,
  type PairedColumn,
  pairedColumn,
} from './measure-tests.js'
import { bothSides, costNumber, pairTrials, passedNumber } from './measures.js'
import { sizeNote } from './notes.js'
import { conclusionIn, conclusionOf, moreItemsNeeded, significanceOf } from './tally.js'

/**
 * Corrects comparisons together, such as those of the variants of one session: the p values of all their pass rates are
 * raised by Holm's method, and so are those of all their scores and of all their checks. Twenty variants of one agent would
 * else have one in two sessions that looks better or worse. Conclusions, `moreItems` and notes follow.
 *
 * One comparison alone does not change. What was read together before may be again, with others.
 *
 * @example
 * import { compare, comparedTogether } from '@jurist/experiment/compare'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const control = aResult()
 * const [careful, hasty] = comparedTogether([compare(control, aResult()), compare(control, aResult())])
 */
export function comparedTogether(comparisons: readonly Comparison[]): readonly Comparison[] {
  const scores = adjustedScores(comparisons.map((one) => one.scores))
  const checks = adjustedScores(comparisons.map((one) => one.checks))
  const rates = adjustedRates(comparisons)
  return comparisons.map((one, index) =>
    settled({
      ...one,
      scores: scores[index] ?? one.scores,
      checks: checks[index] ?? one.checks,
      passRate: rates[index] ?? one.passRate,
    }),
  )
}

/** Comparisons that were stored before there were permutation tests have none, and stay as they are. */
function adjustedRates(comparisons: readonly Comparison[]): readonly Comparison['passRate'][] {
  const tests = comparisons.flatMap(({ passRate }) => passRate?.permutation ?? [])
  const adjusted = adjustedTests(tests)
  return comparisons.map(({ passRate }) => {
    const permutation = passRate === null ? undefined : adjusted[tests.indexOf(passRate.permutation)]
    return passRate === null || permutation === undefined ? passRate : { ...passRate, permutation }
  })
}

/** Updates the conclusion, and the notes about it, after its p value has changed. */
function settled(comparison: Comparison): Comparison {
  const { passRate, notes } = comparison
  const before = conclusionIn(comparison)
  if (before === 'insufficient-data' || passRate?.permutation === undefined) return comparison
  const alpha = significanceOf(comparison)
  const conclusion = conclusionOf(passRate, { alpha, minimumPairs: 1 })
  if (conclusion === before) return comparison
  // The smallest of several p values has to be so much smaller to be found.
  const moreItems = moreItemsNeeded(conclusion, passRate, {
    alpha: alpha / passRate.permutation.tests,
    minimumPairs: 1,
  })
  const said = sizeNote({ ...comparison, conclusion: before })
  const others = notes.filter((note) => !said.includes(note))
  return { ...comparison, conclusion, moreItems, notes: [...sizeNote({ conclusion, passRate, moreItems }), ...others] }
}

/** The part of a trial that comparisons of several runs need. */
type ComparedTrial = Pick<Trial, 'itemId' | 'itemHash' | 'repetition' | 'passed' | 'costUsd' | 'durationMs'>

/** The trials of a run without everything that `runChange` does not need: ten thousands of them stay small. */
export function comparedTrials(run: RunResult): readonly ComparedTrial[] {
  return countedTrials(run).map(({ itemId, itemHash, repetition, passed, costUsd, durationMs }) => ({
    ...{ itemId, itemHash, repetition, passed, costUsd, durationMs },
  }))
}

/** How the mean of a measure over the items of two runs changed, with the test of `compare`. */
export interface MeanChange {
  readonly items: number
  readonly baselineMean: number
  readonly candidateMean: number
  readonly delta: number
  readonly permutation: MeanTest
}

/** How a run differs from another; `null`: no item has the measure in both. */
export interface RunChange {
  readonly passRate: MeanChange | null
  readonly costUsd: MeanChange | null
  readonly durationMs: MeanChange | null
}

/** How a run differs from another, item by item: the means and tests of `compare`, without intervals. */
export function runChange(baseline: readonly ComparedTrial[], candidate: readonly ComparedTrial[]): RunChange {
  const [passRate, costUsd, durationMs] = [pairedColumn(), pairedColumn(), pairedColumn()]
  for (const { pairs, changed } of pairTrials(baseline, candidate)) {
    if (changed) continue
    addSides(passRate, bothSides(pairs, passedNumber))
    addSides(costUsd, bothSides(pairs, costNumber))
    addSides(durationMs, bothSides(pairs, takenMs))
  }
  return { passRate: meanChange(passRate), costUsd: meanChange(costUsd), durationMs: meanChange(durationMs) }
}

function meanChange(column: PairedColumn): MeanChange | null {
  const items = column.before.length
  if (items === 0) return null
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / items
  const [baselineMean, candidateMean] = [mean(column.before), mean(column.after)]
  const permutation = meanTest(deltasOf(column))
  return { items, baselineMean, candidateMean, delta: candidateMean - baselineMean, permutation }
}

/** Corrects changes together: the p values of each measure are raised by Holm's method. */
export function changesTogether(changes: readonly (RunChange | null)[]): readonly (RunChange | null)[] {
  const measures = ['passRate', 'costUsd', 'durationMs'] as const
  const adjusted = measures.map((measure) => adjustedChanges(changes.map((change) => change?.[measure] ?? null)))
  return changes.map((change, index) =>
    change === null
      ? null
      : {
          passRate: adjusted[0]?.[index] ?? null,
          costUsd: adjusted[1]?.[index] ?? null,
          durationMs: adjusted[2]?.[index] ?? null,
        },
  )
}

function adjustedChanges(changes: readonly (MeanChange | null)[]): readonly (MeanChange | null)[] {
  const tests = adjustedTests(changes.flatMap((change) => change?.permutation ?? []))
  let place = 0
  return changes.map((change) => {
    const permutation = change === null ? undefined : tests[place++]
    return change === null || permutation === undefined ? change : { ...change, permutation }
  })
}

/**
 * The runs that are not worse than any other by `margin`, by their places: so also not worse than the best, whichever that is. Each run
 * has to show it against every other one, and alpha is shared among the runs that are not the best. Single trials by the score
 * test of Tango, repetitions by bets.
 */
export function notWorseThanBest(
  runs: readonly (readonly ComparedTrial[])[],
  margin: number,
  alpha = 0.05,
): readonly number[] {
  const left = alpha / Math.max(1, runs.length - 1)
  function isShown(one: readonly ComparedTrial[], other: readonly ComparedTrial[]): boolean {
    const deltas = deltasOf(passRates(other, one))
    if (deltas.length < 10) return false
    const isRepeated = [...one, ...other].some(({ repetition }) => repetition > 1)
    if (isRepeated) return marginBets(deltas, margin) >= -Math.log(left)
    const [better, worse] = [1, -1].map((sign) => deltas.filter((delta) => delta * sign > 0).length)
    const counts = { better: better ?? 0, worse: worse ?? 0 }
    return notWorse({ ...counts, same: deltas.length - counts.better - counts.worse, margin }).pValue <= left
  }
  return [...runs.keys()].filter((place) => {
    const one = runs[place] ?? []
    return runs.every((other, index) => index === place || isShown(one, other))
  })
}

/** The pass rates of two of several runs, by their places. */
export interface PairTest {
  readonly first: number
  readonly second: number
  /** `null`: no item was decided in both. */
  readonly passRate: MeanChange | null
}

/**
 * Each pair of several runs, as the variants of a session: the difference of their pass rates over the items of both, with
 * the sign-flip test of `compare`, raised by Holm's method over all pairs.
 */
export function pairwiseTests(runs: readonly (readonly ComparedTrial[])[]): readonly PairTest[] {
  const pairs = runs.flatMap((baseline, first) =>
    runs.slice(first + 1).map((candidate, index) => ({ first, second: first + 1 + index, baseline, candidate })),
  )
  const tests = adjustedChanges(pairs.map(({ baseline, candidate }) => passRateChange(baseline, candidate)))
  return pairs.map(({ first, second }, index) => ({ first, second, passRate: tests[index] ?? null }))
}

function passRateChange(baseline: readonly ComparedTrial[], candidate: readonly ComparedTrial[]): MeanChange | null {
  return meanChange(passRates(baseline, candidate))
}

/** The pass rates of the items of two runs. */
function passRates(baseline: readonly ComparedTrial[], candidate: readonly ComparedTrial[]): PairedColumn {
  const column = pairedColumn()
  for (const { pairs, changed } of pairTrials(baseline, candidate))
    if (!changed) addSides(column, bothSides(pairs, passedNumber))
  return column
}
