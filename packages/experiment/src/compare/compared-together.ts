import type { Comparison } from './comparison.js'
import { adjustedScores, adjustedTests } from './measure-tests.js'
import { sizeNote } from './notes.js'
import { conclusionIn, conclusionOf, moreItemsNeeded, significanceOf } from './tally.js'

/**
 * Comparisons that are read together, as those of the variants of one session: the p values of all their pass rates are
 * raised by Holm's method, and so are those of all their scores and of all their checks. Twenty variants of one agent would
 * else have one in two sessions that looks better or worse. Verdicts, `moreItems` and notes follow.
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

/** The conclusion after its p value has changed, and what is said of it. */
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
