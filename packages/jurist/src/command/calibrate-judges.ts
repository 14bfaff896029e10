import { type CalibrateOptions, calibrateJudges, type JudgesCalibration } from '@jurist/experiment/calibrate'
import { judgeComparisons } from '@jurist/experiment/internal'
import { type ExperimentResult, pEquals } from '@jurist/experiment/result'
import type { CalibrateJudgesOptions, NamedByKey } from '../config/config.js'
import { usageInvalid } from '../config/problems.js'
import type { Host } from './host.js'

/** Whether a configured calibration measures several judges: it has no candidate. */
export function areJudges(
  options: NamedByKey<CalibrateOptions> | NamedByKey<CalibrateJudgesOptions>,
): options is CalibrateJudgesOptions {
  return !('candidate' in options) || options.candidate === undefined
}

/** Calibrates several judges and prints which one is running. */
export async function measuredJudges(host: Host, options: CalibrateJudgesOptions): Promise<JudgesCalibration> {
  const { onEvent } = options
  return await calibrateJudges({
    ...options,
    onEvent: (event) => {
      if (event.type === 'experiment-start') host.note(`calibrating ${event.experimentName}: ${event.trials} trials`)
      return onEvent?.(event)
    },
  })
}

/** The JSON document of several judges: the table, and the run and report of each judge. The trials stay in the store. */
export function judgesDocument({ name, table, comparisons, notes, calibrations }: JudgesCalibration): object {
  const judges = Object.entries(calibrations).map(([judge, { result, agreementRate, report }]) => {
    return [judge, { run: result.id, agreementRate, report }] as const
  })
  return { name, table, comparisons, notes, judges: Object.fromEntries(judges) }
}

/** Two judges on the same items. */
export interface Duel {
  readonly run: string
  /** Items, or clusters of them, that both were scored on. */
  readonly pairs: number
  readonly onlyThis: number
  readonly onlyOther: number
  readonly pValue: number
}

/** Compares two stored calibrations item by item. Repetitions count once. */
export function duelOf(own: ExperimentResult, other: ExperimentResult): Duel {
  const [comparison] = judgeComparisons({ own: { result: own }, other: { result: other } })
  const { pairs = 0, onlyOne = 0, onlyOther = 0, pValue = 1 } = comparison ?? {}
  if (pairs === 0) throw usageInvalid('--against', `Run ${other.id} shares no scored trial with this calibration.`)
  return { run: other.id, pairs, onlyThis: onlyOne, onlyOther, pValue }
}

/** A duel as one line. */
export function duelLine({ run, pairs, onlyThis, onlyOther, pValue }: Duel): string {
  const counts = `right more often: this judge ${onlyThis}, that one ${onlyOther}`
  return `  Against ${run}   ${pairs} items in common   ${counts}   ${pEquals(pValue)}  McNemar exact`
}
