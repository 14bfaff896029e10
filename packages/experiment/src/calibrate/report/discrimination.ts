import { effectiveScore } from '@jurist/core'
import { auroc, brierScore, thresholdSweep, type UnitOutcome } from '../../result/statistics/threshold-sweep.js'
import type { CalibrationReport } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

/**
 * How well the candidate's numbers tell what should pass from what should fail, whatever threshold it has; `null`: labels are
 * other than pass and fail, or no judgment has a number.
 */
export function discriminationOf(trials: readonly CalibratedTrial[]): CalibrationReport['discrimination'] {
  const outcomes = trials.flatMap(({ scored, detail, item, facts }): readonly UnitOutcome[] => {
    if (scored === null || (scored.expectedClass !== 'pass' && scored.expectedClass !== 'fail')) return []
    const { judgment } = detail
    const isNumber = judgment.score !== undefined && judgment.score.type !== 'boolean'
    const score = isNumber ? effectiveScore(judgment) : undefined
    if (score === undefined) return []
    return [{ score, positive: scored.expectedClass === 'pass', unit: facts.cluster ?? item.itemId }]
  })
  if (outcomes.length === 0) return null
  return {
    trials: outcomes.length,
    auroc: auroc(outcomes),
    brier: brierScore(outcomes),
    thresholds: thresholdSweep(outcomes),
  }
}
