import { ratio } from '../../result/statistics/confusion.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import type { CalibrationReport, SwapFlip } from '../calibration.js'
import type { LabelClasses, ReportSettings } from './report-settings.js'
import { byItem, type CalibratedTrial, predictionOf, unscoredPrediction } from './scored-trial.js'

/** Whether a candidate agrees with itself: repeated, and with two places of the context exchanged. */
export function consistencyOf(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  settings: ReportSettings,
): CalibrationReport['consistency'] {
  const prediction = (trial: CalibratedTrial) => classOf(predictionOf(trial, settings), classes)
  return { repeats: repeatsOf(trials, prediction), swap: swapOf(trials, classes, settings) }
}

function classOf(prediction: string | null, classes: LabelClasses): string | null {
  return prediction === null ? null : classes.of(prediction)
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

function swapOf(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  settings: ReportSettings,
): CalibrationReport['consistency']['swap'] {
  const swapped = trials.filter(({ facts }) => facts.swapped !== null)
  if (swapped.length === 0) return null
  const pairs = swapped.flatMap((trial): readonly Pair[] => {
    const given = classOf(predictionOf(trial, settings), classes)
    const exchanged = classOf(swappedPrediction(trial, settings), classes)
    return given === null || exchanged === null ? [] : [{ given, exchanged }]
  })
  const flipped = pairs.filter(({ given, exchanged }) => given !== exchanged)
  return {
    items: pairs.length,
    consistent: pairs.length - flipped.length,
    flipRate: ratio(flipped.length, pairs.length),
    flips: flipsOf(flipped),
  }
}

/** The answers to a context and to the same context with two places exchanged, mapped back. */
interface Pair {
  readonly given: string
  readonly exchanged: string
}

function swappedPrediction({ facts, detail }: CalibratedTrial, settings: ReportSettings): string | null {
  if (facts.swapped?.scored === true) return facts.swapped.predicted
  return detail.swapped === null ? null : unscoredPrediction(detail.swapped, settings)
}

/** How often it turned from what to what, the most frequent first. */
function flipsOf(flipped: readonly Pair[]): readonly SwapFlip[] {
  const flips = new Map<string, SwapFlip>()
  for (const { given, exchanged } of flipped) {
    const key = JSON.stringify([given, exchanged])
    flips.set(key, { given, exchanged, items: (flips.get(key)?.items ?? 0) + 1 })
  }
  return [...flips.values()].sort((one, other) => other.items - one.items)
}
