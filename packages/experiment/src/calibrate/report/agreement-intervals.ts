import { groupBy } from '@jurist/kit/group-by'
import { bayesianBootstrap } from '../../result/statistics/bootstrap.js'
import { balancedAccuracyIn, correlationIn, sumOf, tableOf } from '../../result/statistics/confusion.js'
import { gwetAC1In, type Kappa, kappaIn } from '../../result/statistics/kappa.js'
import { type MeasurementLevel, weightedAlpha } from '../../result/statistics/krippendorff-alpha.js'
import { designEffect, holding } from '../../result/statistics/rate-intervals.js'
import type { Interval } from '../../result/summary.js'
import type { AgreementIntervals, CalibrationReport, ConfusionMatrix } from '../calibration.js'
import type { ReportSettings } from './report-settings.js'
import { byItem, byUnit, type CalibratedTrial, isDependent, type ScoredTrial, unitCounts } from './scored-trial.js'

/** Measures of agreement without intervals, or with those that take every trial for independent. */
type Measures = Pick<
  CalibrationReport,
  'kappa' | 'weightedKappa' | 'gwetAC1' | 'krippendorffAlpha' | 'mcc' | 'balancedAccuracy'
>

/**
 * The weight of combinations that did not occur: two trials over all cells, which is Jeffreys' half a trial a cell for
 * two classes.
 */
const priorUnits = 2
/** With more classes than this only cells that occur, and the diagonal, are thought possible. */
const mostFullClasses = 8
/** Draws of weights in all, so that many units of different kinds do not take long. */
const mostDraws = 20_000_000
const fewestResamples = 1_000

/** The measures, with intervals by a bootstrap of items or clusters. */
export function withIntervals(
  measures: Measures,
  trials: readonly CalibratedTrial[],
  rated: Pick<ConfusionMatrix, 'labels' | 'matrix'>,
  settings: ReportSettings,
): Pick<Measures, 'kappa' | 'weightedKappa'> & { readonly intervals: AgreementIntervals } {
  const { kappa, weightedKappa, gwetAC1, krippendorffAlpha, mcc, balancedAccuracy } = measures
  const drawn = bootstrapped(trials, rated, krippendorffAlpha.level, settings)
  const dependent = isDependent(trials)
  const kappaOf = (of: Kappa, interval: Interval | null): Kappa => ({
    value: of.value,
    standardError: dependent ? null : of.standardError,
    interval: holding(of.value, interval) ?? (dependent || of.interval?.low === of.interval?.high ? null : of.interval),
  })
  return {
    kappa: kappaOf(kappa, drawn.kappa),
    weightedKappa:
      weightedKappa === null
        ? null
        : {
            linear: kappaOf(weightedKappa.linear, drawn.linear),
            quadratic: kappaOf(weightedKappa.quadratic, drawn.quadratic),
          },
    intervals: {
      gwetAC1: holding(gwetAC1, drawn.gwetAC1),
      krippendorffAlpha: holding(krippendorffAlpha.value, drawn.alpha),
      mcc: holding(mcc, drawn.mcc),
      balancedAccuracy: holding(balancedAccuracy, drawn.balancedAccuracy),
    },
  }
}

/** Ratings of items, as indices of classes or as numbers: the label first, then each repetition. */
type Ratings = readonly (readonly number[])[]

function bootstrapped(
  trials: readonly CalibratedTrial[],
  { labels, matrix }: Pick<ConfusionMatrix, 'labels' | 'matrix'>,
  level: MeasurementLevel,
  settings: ReportSettings,
) {
  const units = [...byUnit(trials).values()]
  const places = new Map(labels.map((label, place) => [label, place]))
  const placeOf = (label: string) => places.get(label) ?? 0
  const kinds = alikeUnits(units, ({ expectedClass, predictedClass }) => [
    placeOf(expectedClass),
    placeOf(predictedClass),
  ])
  const unseen = priorCells(matrix)
  // The prior is worth two independent trials, in the trials of these units, which depend on each other.
  const priorTrials = designEffect(unitCounts(trials))
  // Alpha counts the label of an item as one more rating.
  const items = sumOf(units.map((unit) => new Set(unit.map(({ item }) => item.itemId)).size))
  const ratingsPerTrial = 1 + items / Math.max(1, sumOf(units.map(({ length }) => length)))
  const rated = [
    ...kinds.flatMap((kind, index) => kind.items.map((ratings) => ({ index, ratings, trials: 1, items: 1 }))),
    ...unseen.map((ratings, place) => {
      const [index, ofItems] = [kinds.length + place, (priorTrials * ratingsPerTrial) / 2]
      return { index, ratings, trials: priorTrials, items: ofItems }
    }),
  ]
  const cells = rated.flatMap(({ index, ratings: [row = 0, ...columns], trials: times }) =>
    columns.map((column) => ({ row, column, index, times })),
  )
  // No interval for numbers: they have no cells that could stand for values that did not occur, and nearly every item is
  // unique.
  const alphaOf = isNumeric(level)
    ? () => null
    : weightedAlpha(
        rated.map(({ ratings }) => ratings),
        level,
      )
  const isOrdered = settings.ordinal !== null
  const expected = [...matrix.keys()].filter((place) => sumOf(matrix[place] ?? []) > 0)
  const intervals = bayesianBootstrap(
    {
      units: kinds.map((kind) => kind.units),
      unseen: unseen.length,
      shape: priorUnits / Math.max(1, unseen.length),
    },
    (weights) => ({ table: tableOf(matrixOf(labels.length, cells, weights)), weights }),
    {
      kappa: ({ table }) => kappaIn(table),
      linear: ({ table }) => (isOrdered ? kappaIn(table, 'linear') : null),
      quadratic: ({ table }) => (isOrdered ? kappaIn(table, 'quadratic') : null),
      gwetAC1: ({ table }) => gwetAC1In(table),
      mcc: ({ table }) => correlationIn(table),
      balancedAccuracy: ({ table }) => balancedAccuracyIn(table, expected),
      alpha: ({ weights }) => alphaOf(rated.map(({ index, items: times }) => times * (weights[index] ?? 0))),
    },
    sampling(kinds.length, settings),
  )
  return isNumeric(level) ? { ...intervals, alpha: alphaOfNumbers(units, settings) } : intervals
}

function isNumeric(level: MeasurementLevel): level is 'interval' | 'ratio' {
  return level === 'interval' || level === 'ratio'
}

function alphaOfNumbers(units: readonly (readonly CalibratedTrial[])[], settings: ReportSettings): Interval | null {
  const kinds = alikeUnits(units, ({ expected, predicted }) => [Number(expected), Number(predicted)], true)
  const rated = kinds.flatMap(({ items }, index) => items.map((ratings) => ({ index, ratings })))
  const alphaOf = weightedAlpha(
    rated.map(({ ratings }) => ratings),
    'interval',
  )
  return bayesianBootstrap(
    { units: kinds.map((kind) => kind.units), unseen: 0, shape: 1 },
    (weights) => rated.map(({ index }) => weights[index] ?? 0),
    { alpha: alphaOf },
    sampling(kinds.length, settings),
  ).alpha
}

function sampling(kinds: number, { level, resamples, seed }: ReportSettings) {
  const most = Math.max(fewestResamples, Math.floor(mostDraws / Math.max(1, kinds)))
  return { level, seed, resamples: Math.min(resamples, most) }
}

/**
 * Units whose items were rated the same way are of one kind.
 *
 * @param isSymmetric whether a label counts as one more prediction
 */
function alikeUnits(
  units: readonly (readonly CalibratedTrial[])[],
  rate: (scored: ScoredTrial) => readonly [expected: number, predicted: number],
  isSymmetric = false,
): readonly { readonly items: Ratings; readonly units: number }[] {
  const ratingsOf = (trials: readonly CalibratedTrial[]) => {
    const pairs = trials.flatMap(({ scored }) => (scored === null ? [] : [rate(scored)]))
    const [[label] = [0]] = pairs
    const predicted = pairs.map(([, prediction]) => prediction)
    return isSymmetric ? [label, ...predicted].sort() : [label, ...predicted.sort()]
  }
  const rated = units.map((unit) => [...byItem(unit).values()].map(ratingsOf))
  const kinds = groupBy(rated, (items) => items.map(String).sort().join(' '))
  return Array.from(kinds.values(), (same) => ({ items: same[0], units: same.length }))
}

function matrixOf(
  classes: number,
  cells: readonly { readonly row: number; readonly column: number; readonly index: number; readonly times: number }[],
  weights: readonly number[],
): readonly (readonly number[])[] {
  const matrix = Array.from({ length: classes }, () => new Array<number>(classes).fill(0))
  for (const { row, column, index, times } of cells) {
    const counts = matrix[row] ?? []
    counts[column] = (counts[column] ?? 0) + times * (weights[index] ?? 0)
  }
  return matrix
}

function priorCells(matrix: ConfusionMatrix['matrix']): readonly (readonly [row: number, column: number])[] {
  const isFull = matrix.length <= mostFullClasses
  return matrix.flatMap((counts, row) =>
    counts.flatMap((count, column) => (isFull || count > 0 || row === column ? [[row, column] as const] : [])),
  )
}
