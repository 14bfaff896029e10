import type { Comparison, ItemChange } from '@jurist/experiment/compare'
import { counted } from '../terminal/amounts.js'

/** When a comparison ends a command with code 1. */
export const failOnValues = ['regression', 'significant', 'never'] as const

/**
 * Why a comparison is not good enough, a line each; `[]`: it is. Too little data never fails by itself; none at all does:
 * a gate that cannot be checked is not passed.
 */
export function gateOf(comparison: Comparison, failOn: (typeof failOnValues)[number]): readonly string[] {
  if (failOn === 'never') return []
  if (comparison.passRate === null) return [`no item was decided in both runs (--fail-on ${failOn})`]
  switch (failOn) {
    case 'regression':
      return regressions(comparison)
    case 'significant':
      return comparison.verdict === 'regressed' ? ['the candidate is significantly worse (--fail-on significant)'] : []
    default:
      return failOn satisfies never
  }
}

function regressions({ counts, items }: Comparison): readonly string[] {
  const lost = items.filter(isLost).length
  return [
    ...(counts.regressed === 0 ? [] : [`${counted(counts.regressed, 'item')} regressed (--fail-on regression)`]),
    ...(lost === 0 ? [] : [`${counted(lost, 'item')} passed before and ended undecided now (--fail-on regression)`]),
  ]
}

/** Nobody knows whether it still passes. */
function isLost({ status, flips }: ItemChange): boolean {
  return status !== 'regressed' && flips.some(({ from, to }) => from === true && to === null)
}
