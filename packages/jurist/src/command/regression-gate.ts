import type { Comparison } from '@jurist/experiment/compare'
import { counted } from '../terminal/amounts.js'

/** When a comparison ends a command with code 1. */
export const failOnValues = ['regression', 'significant', 'never'] as const

/** Why a comparison is not good enough, a line each; `[]`: it is. Too little data never fails by itself. */
export function gateOf({ counts, verdict }: Comparison, failOn: (typeof failOnValues)[number]): readonly string[] {
  switch (failOn) {
    case 'regression':
      return counts.regressed === 0 ? [] : [`${counted(counts.regressed, 'item')} regressed (--fail-on regression)`]
    case 'significant':
      return verdict === 'regressed' ? ['the candidate is significantly worse (--fail-on significant)'] : []
    case 'never':
      return []
    default:
      return failOn satisfies never
  }
}
