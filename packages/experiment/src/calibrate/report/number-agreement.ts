import { kendallTauB, pearson, spearman } from '../../result/statistics/correlation.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import type { CalibrationReport } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

/** How near the candidate's numbers come to the labels, both on 0 to 1; `null`: nothing was scored. */
export function numberAgreement(trials: readonly CalibratedTrial[]): CalibrationReport['scores'] {
  const scored = trials.flatMap((trial) => trial.scored ?? [])
  if (scored.length === 0) return null
  const expected = scored.map((trial) => Number(trial.expected))
  const actual = scored.map((trial) => Number(trial.predicted))
  const differences = actual.map((value, index) => value - (expected[index] ?? 0))
  return {
    meanAbsoluteError: meanOf(differences.map(Math.abs)),
    bias: meanOf(differences),
    pearson: pearson(actual, expected),
    spearman: spearman(actual, expected),
    kendallTauB: kendallTauB(actual, expected),
  }
}
