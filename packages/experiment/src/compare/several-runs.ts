import { type RunResult, type Trial, trialsOf } from '../result/trial-figures.js'
import { takenMs } from '../result/trial-time.js'
import type { MeanTest } from './comparison.js'
import { adjustedTests, deltasOf, type MeasureColumn, meanTest, measureColumn } from './measure-tests.js'
import { bothSides, costNumber, passedNumber } from './measures.js'
import { pairTrials } from './pair-trials.js'

/** What is kept of a trial to compare its run with several others. */
export type ComparedTrial = Pick<Trial, 'itemId' | 'itemHash' | 'repetition' | 'passed' | 'costUsd' | 'durationMs'>

/** The trials of a run without everything that `runChange` does not need: ten thousands of them stay small. */
export function comparedTrials(run: RunResult): readonly ComparedTrial[] {
  return trialsOf(run).map(({ itemId, itemHash, repetition, passed, costUsd, durationMs }) => ({
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
  const [passRate, costUsd, durationMs] = [measureColumn(), measureColumn(), measureColumn()]
  for (const { pairs, changed } of pairTrials(baseline, candidate)) {
    if (changed) continue
    passRate.add(bothSides(pairs, passedNumber))
    costUsd.add(bothSides(pairs, costNumber))
    durationMs.add(bothSides(pairs, takenMs))
  }
  return { passRate: meanChange(passRate), costUsd: meanChange(costUsd), durationMs: meanChange(durationMs) }
}

function meanChange(column: MeasureColumn): MeanChange | null {
  const items = column.before.length
  if (items === 0) return null
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / items
  const [baselineMean, candidateMean] = [mean(column.before), mean(column.after)]
  const permutation = meanTest(deltasOf(column))
  return { items, baselineMean, candidateMean, delta: candidateMean - baselineMean, permutation }
}

/** Changes that are read together: the p values of each measure are raised by Holm's method. */
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

/** The pass rates of two of several runs, by their places. */
export interface PairTest {
  readonly first: number
  readonly second: number
  /** `null`: no item was decided in both. */
  readonly passRate: MeanChange | null
}

/**
 * Every two of several runs, as the variants of a session: the difference of their pass rates over the items of both, with
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
  const column = measureColumn()
  for (const { pairs, changed } of pairTrials(baseline, candidate))
    if (!changed) column.add(bothSides(pairs, passedNumber))
  return meanChange(column)
}
