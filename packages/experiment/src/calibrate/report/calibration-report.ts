import { optionInvalid } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { three } from '../../result/amounts.js'
import type { ExperimentResult } from '../../result/records.js'
import { altTest } from '../../result/statistics/alt-test.js'
import {
  balancedAccuracyIn,
  matthewsCorrelation,
  perClassScores,
  ratio,
  sumOf,
  tableOf,
} from '../../result/statistics/confusion.js'
import { meanOf } from '../../result/statistics/descriptive.js'
import { cohenKappa, gwetAC1 } from '../../result/statistics/kappa.js'
import type { ReportOptions } from '../calibrate-options.js'
import type {
  AnnotatorReport,
  CalibrationReport,
  CalibrationResult,
  ConfusionMatrix,
  JudgeDisagreement,
  SwapFlip,
} from '../calibration.js'
import { correctedRun } from '../corrected-run.js'
import {
  agreementOf,
  alphaOf,
  confusionMatrix,
  discriminationOf,
  juryReport,
  numberAgreement,
  reliabilityOf,
} from './agreement.js'
import { withIntervals } from './agreement-intervals.js'
import { reportNotes } from './notes.js'
import { type LabelClasses, labelClasses, type ReportSettings, reportSettings } from './report-settings.js'
import { byItem, type CalibratedTrial, calibratedTrials, predictionOf, unscoredPrediction } from './scored-trial.js'

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
    optionInvalid(
      'result',
      `calibrationOf: the run ${result.id} is of kind ${result.kind}. Give a run that calibrate stored, of kind judge.`,
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
  const figures = (label: string) => (Object.hasOwn(perClass, label) ? perClass[label] : undefined)
  const [pass, fail] = [figures('pass'), figures('fail')]
  return {
    perClass,
    balancedAccuracy: balancedAccuracyIn(tableOf(confusion.matrix)),
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

/** Whether a candidate agrees with itself: repeated, and with two places of the context exchanged. */
function consistencyOf(
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

/** The share of pairs of predictions that are equal. */
function pairwiseAgreement(predictions: readonly string[]): number {
  const equal = sumOf(Array.from(groupBy(predictions, (one) => one).values(), ({ length }) => length * (length - 1)))
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

/** The number of flips from each answer to each other one, the most frequent first. */
function flipsOf(flipped: readonly Pair[]): readonly SwapFlip[] {
  const flips = groupBy(flipped, ({ given, exchanged }) => JSON.stringify([given, exchanged]))
  return Array.from(flips.values(), (same) => ({ ...same[0], items: same.length })).sort(
    (one, other) => other.items - one.items,
  )
}

/** The fewest annotators that the test is defined for. */
const fewestAnnotators = 3

type Rating = string | number
type Ratings = Readonly<Record<string, Rating>>

/**
 * The alternative annotator test on the annotators' ratings of the items; `null`: there are fewer than three annotators.
 * It needs no labels.
 */
function annotatorReport(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  settings: ReportSettings,
): AnnotatorReport | null {
  const annotators = annotatorRatings(trials, classes, settings)
  if (Object.keys(annotators).length < fewestAnnotators) return null
  const judge = judgeRatings(trials, classes, settings)
  const { epsilon, q, minimumItems } = settings.altTest
  const scoring = settings.numeric === null ? 'accuracy' : 'rmse'
  const tested = (rated: Ratings) => altTest({ annotators, judge: rated, epsilon, q, minimumItems, scoring })
  return { ...tested(judge), q, minimumItems, constant: constantOf(annotators, judge, tested) }
}

function annotatorRatings(
  trials: readonly CalibratedTrial[],
  classes: LabelClasses,
  { numeric }: ReportSettings,
): Readonly<Record<string, Ratings>> {
  const annotators = new Map<string, Map<string, Rating>>()
  for (const { item, facts } of trials) {
    for (const [name, rating] of Object.entries(facts.annotators ?? {})) {
      const ratings = annotators.get(name) ?? new Map<string, Rating>()
      annotators.set(name, ratings)
      const value = numeric === null ? classes.ofLabel(String(rating)) : asRated(rating)
      if (value !== null) ratings.set(item.itemId, value)
    }
  }
  return Object.fromEntries([...annotators].map(([name, ratings]) => [name, Object.fromEntries(ratings)]))
}

/** Numbers are compared as they were rated: on another scale the same distances may differ in their last digit. */
function asRated(rating: Rating): number | null {
  const value = typeof rating === 'string' && rating.trim() === '' ? Number.NaN : Number(rating)
  return Number.isFinite(value) ? value : null
}

/** The first repetition that decided speaks for the candidate, as each person spoke once. */
function judgeRatings(trials: readonly CalibratedTrial[], classes: LabelClasses, settings: ReportSettings): Ratings {
  const { numeric } = settings
  const judge = new Map<string, Rating>()
  for (const trial of trials) {
    const { itemId } = trial.item
    const said = judge.has(itemId) ? null : predictionOf(trial, settings)
    if (said === null) continue
    judge.set(itemId, numeric === null ? classes.of(said) : numeric.min + Number(said) * (numeric.max - numeric.min))
  }
  return Object.fromEntries(judge)
}

/**
 * The result for a judge that rates every item with the most frequent rating of the annotators, or with the mean of
 * numbers.
 */
function constantOf(
  annotators: Readonly<Record<string, Ratings>>,
  judge: Ratings,
  tested: (rated: Ratings) => Pick<AnnotatorReport, 'winningRate' | 'averageAdvantage' | 'passes'>,
): AnnotatorReport['constant'] {
  const ratings = Object.values(annotators).flatMap((one) => Object.values(one))
  const numbers = ratings.filter((rating) => typeof rating === 'number')
  const constant = numbers.length > 0 ? meanOf(numbers) : mostFrequent(ratings)
  if (constant === null) return null
  const { winningRate, averageAdvantage, passes } = tested(
    Object.fromEntries(Object.keys(judge).map((itemId) => [itemId, constant])),
  )
  const label = typeof constant === 'number' ? three(constant) : constant
  return { label, winningRate, averageAdvantage, passes }
}

/** The first of equally frequent ones in the order of the alphabet, whatever the order of items is. */
function mostFrequent(ratings: readonly Rating[]): Rating | null {
  const groups = [...groupBy(ratings, (rating) => rating).values()]
  const [most] = groups.sort((one, other) => other.length - one.length || (one[0] < other[0] ? -1 : 1))
  return most?.[0] ?? null
}
