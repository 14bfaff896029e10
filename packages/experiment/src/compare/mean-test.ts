import { holmAdjusted } from '../result/statistics/holm.js'
import { signFlipTest } from '../result/statistics/sign-flip.js'
import type { MeanTest, ScoreComparison } from './comparison.js'

/** The test of item differences, alone. */
export function meanTest(deltas: readonly number[]): MeanTest {
  const test = signFlipTest(deltas)
  return { ...test, adjustedPValue: test.pValue, tests: 1 }
}

/** Scores by name. */
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

/** Tests that are read together: the p value of each is raised by Holm's method. */
export function adjustedTests(tests: readonly MeanTest[]): readonly MeanTest[] {
  const adjusted = holmAdjusted(tests.map(({ pValue }) => pValue))
  return tests.map((test, index) => ({ ...test, adjustedPValue: adjusted[index] ?? 1, tests: tests.length }))
}

function isTested(score: ScoreComparison): score is ScoreComparison & { readonly permutation: MeanTest } {
  return score.permutation !== undefined
}
