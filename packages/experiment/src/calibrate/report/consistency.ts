import { effectiveScore } from '@jurist/core'
import { ratio } from '../../result/statistics/per-class-scores.js'
import { meanOf } from '../../result/statistics/standard-error.js'
import type { CalibrationReport } from '../calibration.js'
import { saidBy } from '../exact-match.js'
import type { LabelClasses } from './label-classes.js'
import type { ReportSettings } from './report-settings.js'
import { byItem, type CalibratedTrial } from './scored-trial.js'

/** Whether a candidate agrees with itself: repeated, and with two places of the context exchanged. */
export function consistencyOf(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  settings: ReportSettings,
): CalibrationReport['consistency'] {
  const prediction = (trial: CalibratedTrial) =>
    trial.scored?.predictedClass ?? unscoredPrediction(trial, classes, settings)
  return { repeats: repeatsOf(trials, prediction), swap: swapOf(trials, classes) }
}

/** What was said of an item that could not be scored, as one without a label: to agree with oneself takes none. */
function unscoredPrediction(
  { detail: { judgment } }: CalibratedTrial,
  classes: LabelClasses,
  { numeric, byCategory }: ReportSettings,
): string | null {
  if (judgment.status !== 'pass' && judgment.status !== 'fail') return null
  if (numeric !== null) return classes.of(String(effectiveScore(judgment)))
  return classes.of(byCategory ? saidBy(judgment).trim().toLowerCase() : judgment.status)
}

function repeatsOf(
  trials: readonly CalibratedTrial[],
  prediction: (trial: CalibratedTrial) => string | null,
): CalibrationReport['consistency']['repeats'] {
  const repeated = [...byItem(trials).values()]
    .map((group) => group.flatMap((trial) => prediction(trial) ?? []))
    .filter((predictions) => predictions.length > 1)
  if (repeated.length === 0) return null
  const agreements = repeated.map(pairwiseAgreement)
  return {
    items: repeated.length,
    agreement: meanOf(agreements),
    unanimous: repeated.filter((predictions) => new Set(predictions).size === 1).length,
  }
}

/** The share of pairs that are equal. */
function pairwiseAgreement(predictions: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const prediction of predictions) counts.set(prediction, (counts.get(prediction) ?? 0) + 1)
  const equal = [...counts.values()].reduce((sum, count) => sum + count * (count - 1), 0)
  return equal / (predictions.length * (predictions.length - 1))
}

function swapOf(trials: readonly CalibratedTrial[], classes: LabelClasses): CalibrationReport['consistency']['swap'] {
  const swapped = trials.filter(({ facts }) => facts.swapped !== null)
  if (swapped.length === 0) return null
  const pairs = swapped.flatMap(({ scored, facts }) =>
    scored === null || facts.swapped?.scored !== true
      ? []
      : [scored.predictedClass === classes.of(facts.swapped.predicted)],
  )
  const consistent = pairs.filter(Boolean).length
  return { items: pairs.length, consistent, flipRate: ratio(pairs.length - consistent, pairs.length) }
}
