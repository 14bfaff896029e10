import { JuristError } from '@jurist/core'
import type { ExperimentResult } from '../../result/records.js'
import { matthewsCorrelation, perClassScores, ratio } from '../../result/statistics/confusion.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import { cohenKappa, gwetAC1 } from '../../result/statistics/kappa.js'
import type { ReportOptions } from '../calibrate-options.js'
import type { CalibrationReport, CalibrationResult, ConfusionMatrix, JudgeDisagreement } from '../calibration.js'
import { correctedRun } from '../corrected-run.js'
import { agreementOf, alphaOf, confusionMatrix, discriminationOf, numberAgreement, reliabilityOf } from './agreement.js'
import { withIntervals } from './agreement-intervals.js'
import { annotatorReport } from './annotator-report.js'
import { consistencyOf } from './consistency.js'
import { juryReport } from './jury-report.js'
import { reportNotes } from './notes.js'
import { labelClasses, type ReportSettings, reportSettings } from './report-settings.js'
import { type CalibratedTrial, calibratedTrials } from './scored-trial.js'

/**
 * The calibration that a stored run is: everything is computed again from its trials, nothing is judged.
 *
 * @param options replace the options of the run; `resamples: 0` leaves the bootstrap out
 * @param options.correct another run that the candidate judged: its corrected pass rate is in `report.correctedPassRate`
 * @throws `option-invalid` when the run is not of kind `judge`, and when `correct` has trials of it or was not judged by the
 * candidate
 *
 * @example
 * import { calibrationOf } from '@jurist/experiment/calibrate'
 * import { fileStore } from '@jurist/experiment/store'
 *
 * await using store = fileStore('results')
 * const run = await store.mostRecent('strict', { kind: 'judge' })
 * if (run !== undefined) console.log(calibrationOf(run).report.confusion)
 */
export function calibrationOf(
  result: ExperimentResult,
  { correct, ...options }: ReportOptions & { readonly correct?: ExperimentResult } = {},
): CalibrationResult {
  if (result.kind !== 'judge')
    throw new JuristError(
      'option-invalid',
      `calibrationOf: the run ${result.id} is of kind ${result.kind}. Give a run that calibrate stored, of kind judge.`,
      { option: 'result' },
    )
  const report = calibrationReport(result, reportSettings(result, options), correct)
  return { result, agreementRate: report.agreement.value, disagreements: disagreementsOf(result), report }
}

function disagreementsOf({ items }: ExperimentResult): readonly JudgeDisagreement[] {
  return items.flatMap(({ itemId, repetition, detail }) =>
    detail?.kind === 'judge' && detail.scorer.scored && !detail.scorer.match ? { itemId, repetition, detail } : [],
  )
}

/**
 * Everything that follows from the trials of a calibration.
 *
 * @param correct another run that the candidate judged, whose pass rate is corrected
 */
function calibrationReport(
  result: ExperimentResult,
  settings: ReportSettings,
  correct?: ExperimentResult,
): CalibrationReport {
  const classes = labelClasses(settings)
  const trials = calibratedTrials(result.items, classes)
  const confusion = confusionMatrix(trials, classes)
  const rated = ratedPart(confusion, classes.fixed)
  const counts = countsOf(trials)
  const figures = classFigures(confusion)
  const measures = {
    balancedAccuracy: figures.balancedAccuracy,
    kappa: cohenKappa(rated.matrix, { level: settings.level }),
    weightedKappa: weightedKappas(rated, settings),
    gwetAC1: gwetAC1(rated.matrix),
    krippendorffAlpha: alphaOf(trials, settings),
    mcc: matthewsCorrelation(rated.matrix),
  }
  const report = {
    counts,
    coverage: ratio(counts.scored, counts.trials),
    agreement: agreementOf(trials, settings),
    confusion,
    ...figures,
    ...measures,
    ...withIntervals(measures, trials, rated, settings),
    scores: settings.numeric === null ? null : numberAgreement(trials),
    consistency: consistencyOf(trials, classes, settings),
    jury: settings.isJury ? juryReport(trials) : null,
    altTest: annotatorReport(trials, classes, settings),
    discrimination: discriminationOf(trials),
    correctedPassRate: correct === undefined ? null : correctedRun(result, trials, correct, settings.level),
    reliability: reliabilityOf(trials, settings.isJury),
  }
  return { ...report, notes: reportNotes(report) }
}

/** The table without classes in which nothing was scored: unscored trials enter no rate. */
function ratedPart(
  { labels, matrix }: ConfusionMatrix,
  fixed: readonly string[] | null,
): Pick<ConfusionMatrix, 'labels' | 'matrix'> {
  const places = labels.flatMap((label, place) => {
    const occurs = matrix.some((row, at) => (at === place ? row.some((count) => count > 0) : (row[place] ?? 0) > 0))
    return occurs || fixed?.includes(label) === true ? [place] : []
  })
  return {
    labels: places.map((place) => labels[place] ?? ''),
    matrix: places.map((row) => places.map((column) => matrix[row]?.[column] ?? 0)),
  }
}

function countsOf(trials: readonly CalibratedTrial[]): CalibrationReport['counts'] {
  const unscored: Record<string, number> = {}
  let [scored, matches] = [0, 0]
  for (const { detail } of trials) {
    if (detail.scorer.scored) {
      scored += 1
      matches += Number(detail.scorer.match)
    } else unscored[detail.scorer.why] = (unscored[detail.scorer.why] ?? 0) + 1
  }
  const items = new Set(trials.map(({ item }) => item.itemId)).size
  return { items, trials: trials.length, scored, matches, unscored }
}

/** The figures by class, and the direction of errors where the classes are pass and fail. */
function classFigures(
  confusion: ConfusionMatrix,
): Pick<CalibrationReport, 'perClass' | 'balancedAccuracy' | 'falsePassRate' | 'falseFailRate'> {
  const perClass = perClassScores(confusion)
  const recalls = Object.values(perClass).flatMap(({ recall }) => recall ?? [])
  const figures = (label: string) => (Object.hasOwn(perClass, label) ? perClass[label] : undefined)
  const [pass, fail] = [figures('pass'), figures('fail')]
  return {
    perClass,
    balancedAccuracy: recalls.length === 0 ? null : meanOf(recalls),
    falsePassRate: ratio(cellOf(confusion, 'fail', 'pass'), fail?.support ?? 0),
    falseFailRate: ratio(cellOf(confusion, 'pass', 'fail'), pass?.support ?? 0),
  }
}

function cellOf({ labels, matrix }: ConfusionMatrix, expected: string, predicted: string): number {
  return matrix[labels.indexOf(expected)]?.[labels.indexOf(predicted)] ?? 0
}

/** Weights need an order in which every class has its place. */
function weightedKappas(
  { labels, matrix }: Pick<ConfusionMatrix, 'labels' | 'matrix'>,
  { ordinal, level }: ReportSettings,
): CalibrationReport['weightedKappa'] {
  if (ordinal === null || labels.length !== ordinal.length) return null
  return {
    linear: cohenKappa(matrix, { weights: 'linear', level }),
    quadratic: cohenKappa(matrix, { weights: 'quadratic', level }),
  }
}
