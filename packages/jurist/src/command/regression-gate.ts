import { type Comparison, changeCounts, type ItemChange, mcnemarExact, pText } from '@jurist/experiment/compare'
import { counted, grouped, pEquals, points } from '@jurist/experiment/result'

/** When a comparison ends a command with code 1. */
export const failOnValues = ['regression', 'significant', 'never'] as const

/** One of them. */
export type FailOn = (typeof failOnValues)[number]

const defaultAlpha = 0.05

/**
 * Why a comparison is not good enough, a line each; `[]`: it is. Too little data never fails by itself; none at all does:
 * a gate that cannot be checked is not passed. Items count by their pass rate, as in every table; scores that moved do not.
 */
export function gateOf(comparison: Comparison, failOn: FailOn, alpha: number = defaultAlpha): readonly string[] {
  if (failOn === 'never') return []
  if (comparison.passRate === null) return [`no item was decided in both runs (--fail-on ${failOn})`]
  switch (failOn) {
    case 'regression':
      return regressions(comparison)
    case 'significant':
      return significant(comparison, alpha)
    default:
      return failOn satisfies never
  }
}

function regressions({ items }: Comparison): readonly string[] {
  const { regressed } = changeCounts(items)
  const lost = items.filter(isLost).length
  return [
    ...(regressed === 0 ? [] : [`${counted(regressed, 'item')} regressed (--fail-on regression)`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'item')} passed before and ended undecided now (--fail-on regression)`]),
  ]
}

/** Items that cannot be decided any more would leave the test unnoticed: they count as worse there. */
function significant({ conclusion, items, passRate }: Comparison, alpha: number): readonly string[] {
  const { regressed, improved } = changeCounts(items)
  if (conclusion === 'regressed') {
    const counts = `${counted(regressed, 'item')} regressed, ${grouped(improved)} improved`
    return [`the candidate is significantly worse: ${counts}${lossText(passRate)} (--fail-on significant)`]
  }
  const lost = items.filter(isLost).length
  const found = items.filter(isFound).length
  const [worse, better] = [regressed + lost, improved + found]
  const pValue = Math.min(1, mcnemarExact(worse, better) * (passRate?.permutation.tests ?? 1))
  if (lost === 0 || worse <= better || pValue > alpha) return []
  return [
    `${counted(lost, 'item')} passed before and ended undecided now: with them the candidate is significantly worse, ` +
      `${pEquals(pValue)} (--fail-on significant)`,
  ]
}

/** With repetitions the counts of items do not say how large the loss is. */
function lossText(passRate: Comparison['passRate']): string {
  if (passRate === null) return ''
  const fell = passRate.test.method === 'mcnemar-exact' ? '' : `, pass rate ${points(passRate.delta)} points`
  return `${fell}, ${pText(passRate.permutation)}`
}

/** Nobody knows whether it still passes. */
function isLost({ change, flips }: ItemChange): boolean {
  return change !== 'regressed' && flips.some(({ from, to }) => from === true && to === null)
}

/** Nobody knew whether it passed. */
function isFound({ change, flips }: ItemChange): boolean {
  return change !== 'improved' && flips.some(({ from, to }) => from === null && to === true)
}
