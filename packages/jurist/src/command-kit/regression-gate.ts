import type { Comparison, ItemChange } from '@jurist/experiment/compare'
import {
  changeCounts,
  counted,
  grouped,
  mcnemarExact,
  points,
  pText,
  trialsOf,
  type UndecidedJudge,
  undecidedJudgeText,
} from '@jurist/experiment/internal/results'
import { pEquals, type RunResult } from '@jurist/experiment/result'

/** The conditions under which a comparison makes a command exit with code 1. */
export const failOnValues = ['regression', 'significant', 'never'] as const

export type FailOn = (typeof failOnValues)[number]

const defaultAlpha = 0.05

/**
 * Returns the reasons why a comparison does not pass the gate, one per line. Too little data does not fail the gate,
 * but no data does, since a gate that cannot be checked is not passed. Items count by their pass rate; changed scores
 * do not count.
 */
export function gateOf(comparison: Comparison, failOn: FailOn, alpha: number = defaultAlpha): readonly string[] {
  if (failOn === 'never') return []
  if (comparison.passRate === null) return [`no item was decided in both runs (--fail-on ${failOn})`]
  if (comparison.userFaults?.differs === true)
    return [`the simulated user was not at fault equally often in both runs (--fail-on ${failOn})`]
  switch (failOn) {
    case 'regression':
      return regressions(comparison)
    case 'significant':
      return significant(comparison, alpha)
    default:
      return failOn satisfies never
  }
}

/**
 * Reports judges that never decided and are not allowed to: the run may have passed only because of them. The reports say why.
 */
export function neverJudged(judges: readonly UndecidedJudge[]): readonly string[] {
  return judges
    .filter(({ decided, isAllowed }) => decided === 0 && !isAllowed)
    .map((judge) => undecidedJudgeText({ ...judge, reason: '' }))
}

function regressions({ items }: Comparison): readonly string[] {
  const { regressed } = changeCounts(items)
  const lost = items.filter(isLost).length
  return [
    ...(regressed === 0 ? [] : [`${counted(regressed, 'item')} regressed (--fail-on regression)`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'item')} passed before and ended undecided now (--fail-on regression)`]),
  ]
}

/** Items that became undecided count as worse: otherwise they would drop out of the test unnoticed. */
function significant({ items, passRate }: Comparison, alpha: number): readonly string[] {
  const { regressed, improved } = changeCounts(items)
  // The test is exact with any number of items. That reports recommend at least ten items does not open the gate.
  if (passRate !== null && passRate.delta < 0 && passRate.permutation.adjustedPValue <= alpha) {
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

/**
 * Returns the reason why a gate cannot fail, regardless of the candidate: even if every item got worse, the exact test
 * would not reach the level. Returns `undefined` if the gate can fail.
 */
export function weaknessOf(
  { items, passRate }: Comparison,
  baseline: RunResult,
  failOn: FailOn,
  alpha: number = defaultAlpha,
): string | undefined {
  if (failOn !== 'significant') return undefined
  const tests = passRate?.permutation.tests ?? 1
  const canFail = (worse: number) => mcnemarExact(worse, 0) * tests <= alpha
  const passedBefore = new Set(trialsOf(baseline).flatMap(({ itemId, passed }) => (passed === true ? [itemId] : [])))
  const paired = items.filter(({ passDelta, flips }) => passDelta !== null || flips.length > 0)
  const losable = paired.filter(({ itemId }) => passedBefore.has(itemId)).length
  if (canFail(losable)) return undefined
  let needed = losable + 1
  while (!canFail(needed)) needed += 1
  const which = losable === paired.length ? '' : ' that passed before'
  return (
    `${counted(losable, 'item')}${which} can be compared, and this gate cannot fail with fewer than ${needed} items; ` +
    'use --fail-on regression'
  )
}

/** Formats the size of the loss, which counts of items do not show if there are repetitions. */
function lossText(passRate: Comparison['passRate']): string {
  if (passRate === null) return ''
  const fell = passRate.test.method === 'mcnemar-exact' ? '' : `, pass rate ${points(passRate.delta)} points`
  return `${fell}, ${pText(passRate.permutation)}`
}

/** Whether the item passed before and is undecided now. */
function isLost({ change, flips }: ItemChange): boolean {
  return change !== 'regressed' && flips.some(({ from, to }) => from === true && to === null)
}

/** Whether the item was undecided before and passes now. */
function isFound({ change, flips }: ItemChange): boolean {
  return change !== 'improved' && flips.some(({ from, to }) => from === null && to === true)
}
