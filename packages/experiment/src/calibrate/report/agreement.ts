import { bootstrapShare, type UnitCounts } from '../../result/statistics/bootstrap.js'
import { ratio, sumOf } from '../../result/statistics/confusion.js'
import { krippendorffAlpha, type MeasurementLevel } from '../../result/statistics/krippendorff-alpha.js'
import { effectiveWilson, wilsonInterval } from '../../result/statistics/rate-intervals.js'
import type { CalibrationReport } from '../calibration.js'
import type { ReportSettings } from './report-settings.js'
import { byItem, byUnit, type CalibratedTrial, isDependent, type ScoredTrial } from './scored-trial.js'

/** How often candidate and label agree, with intervals. */
export function agreementOf(
  trials: readonly CalibratedTrial[],
  { level, resamples, seed }: ReportSettings,
): CalibrationReport['agreement'] {
  const units = [...byUnit(trials).values()].map(
    (unit): UnitCounts => ({
      trials: unit.length,
      matches: unit.filter(({ scored }) => scored?.match === true).length,
    }),
  )
  const [scored, matches] = [sumOf(units.map((unit) => unit.trials)), sumOf(units.map((unit) => unit.matches))]
  return {
    value: ratio(matches, scored),
    wilson: isDependent(trials) ? effectiveWilson(units, level) : wilsonInterval(matches, scored, level),
    bootstrap: resamples === 0 ? null : bootstrapShare(units, { level, resamples, seed }),
  }
}

/** Krippendorff's alpha with the label and every repetition as raters, and items as units. */
export function alphaOf(
  trials: readonly CalibratedTrial[],
  { numeric, ordinal }: Pick<ReportSettings, 'numeric' | 'ordinal'>,
): CalibrationReport['krippendorffAlpha'] {
  const inOrder = ordinal !== null && trials.every(({ scored }) => scored === null || isPlaced(scored, ordinal))
  const level: MeasurementLevel = numeric !== null ? 'interval' : inOrder ? 'ordinal' : 'nominal'
  const rated = (text: string, label: string): string | number => {
    if (level === 'interval') return Number(text)
    return level === 'ordinal' ? (ordinal?.indexOf(label) ?? 0) : label
  }
  const repetitions = trials.reduce((most, { item }) => Math.max(most, item.repetition), 0)
  const raters: (string | number | null)[][] = Array.from({ length: repetitions + 1 }, () => [])
  for (const group of byItem(trials).values()) {
    for (const rater of raters) rater.push(null)
    const unit = (raters[0]?.length ?? 0) - 1
    for (const { scored, item } of group) {
      if (scored === null) continue
      rate(raters[0], unit, rated(scored.expected, scored.expectedClass))
      rate(raters[item.repetition], unit, rated(scored.predicted, scored.predictedClass))
    }
  }
  return { level, value: krippendorffAlpha(raters, level) }
}

function rate(rater: (string | number | null)[] | undefined, unit: number, rating: string | number): void {
  if (rater !== undefined) rater[unit] = rating
}

function isPlaced({ expectedClass, predictedClass }: ScoredTrial, ordinal: readonly string[]): boolean {
  return ordinal.includes(expectedClass) && ordinal.includes(predictedClass)
}
