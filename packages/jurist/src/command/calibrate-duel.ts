import { judgeComparisons } from '@jurist/experiment/calibrate'
import { type ExperimentResult, pEquals } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'

/** Two judges on the same items. */
export interface Duel {
  readonly run: string
  /** Items, or clusters of them, that both were scored on. */
  readonly pairs: number
  readonly onlyThis: number
  readonly onlyOther: number
  readonly pValue: number
}

/** Two stored calibrations, item by item: repetitions count once. */
export function duelOf(own: ExperimentResult, other: ExperimentResult): Duel {
  const [comparison] = judgeComparisons({ own: { result: own }, other: { result: other } })
  const { pairs = 0, onlyOne = 0, onlyOther = 0, pValue = 1 } = comparison ?? {}
  if (pairs === 0) throw usageInvalid('--against', `Run ${other.id} shares no scored trial with this calibration.`)
  return { run: other.id, pairs, onlyThis: onlyOne, onlyOther, pValue }
}

/** A duel on a line. */
export function duelLine({ run, pairs, onlyThis, onlyOther, pValue }: Duel): string {
  const counts = `right more often: this judge ${onlyThis}, that one ${onlyOther}`
  return `  Against ${run}   ${pairs} items in common   ${counts}   ${pEquals(pValue)}  McNemar exact`
}
