import { type AlikeUnits, bayesianBootstrap, type UnitCounts } from '../../result/statistics/bootstrap.js'
import type { Kappa } from '../../result/statistics/kappa.js'
import { designEffect } from '../../result/statistics/rate-intervals.js'
import type { Interval } from '../../result/summary.js'
import type { AgreementIntervals, CalibrationReport, ConfusionMatrix } from '../calibration.js'
import { type AlphaSums, alikeUnits, alphaSums, type Sums, tableSums } from './agreement-sums.js'
import type { ReportSettings } from './report-settings.js'
import { byUnit, type CalibratedTrial, isDependent, type ScoredTrial } from './scored-trial.js'

/** Measures of agreement without intervals, or with those that take every trial for independent. */
type Measures = Pick<
  CalibrationReport,
  'kappa' | 'weightedKappa' | 'gwetAC1' | 'krippendorffAlpha' | 'mcc' | 'balancedAccuracy'
>

/** The weight of what was not seen: two trials over all cells, which is Jeffreys' half a trial a cell for two classes. */
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
  const units = [...byUnit(trials).values()]
  const { table, alpha } = bootstrapped(units, rated, measures.krippendorffAlpha.level, settings)
  const { kappa, weightedKappa, gwetAC1, krippendorffAlpha, mcc, balancedAccuracy } = measures
  const dependent = isDependent(trials)
  const kappaOf = (of: Kappa, interval: Interval | null): Kappa => ({
    value: of.value,
    standardError: dependent ? null : of.standardError,
    interval: holding(of.value, interval) ?? (dependent || isPoint(of.interval) ? null : of.interval),
  })
  return {
    kappa: kappaOf(kappa, table.kappa),
    weightedKappa:
      weightedKappa === null
        ? null
        : {
            linear: kappaOf(weightedKappa.linear, table.linear),
            quadratic: kappaOf(weightedKappa.quadratic, table.quadratic),
          },
    intervals: {
      gwetAC1: holding(gwetAC1, table.gwetAC1),
      krippendorffAlpha: holding(krippendorffAlpha.value, alpha),
      mcc: holding(mcc, table.mcc),
      balancedAccuracy: holding(balancedAccuracy, table.balancedAccuracy),
    },
  }
}

type Unit = readonly CalibratedTrial[]
type Level = CalibrationReport['krippendorffAlpha']['level']

function bootstrapped(
  units: readonly Unit[],
  { labels, matrix }: Pick<ConfusionMatrix, 'labels' | 'matrix'>,
  level: Level,
  settings: ReportSettings,
) {
  const places = new Map(labels.map((label, place) => [label, place]))
  const placeOf = (label: string) => places.get(label) ?? 0
  const expected = matrix.flatMap((row, place) => (row.some((count) => count > 0) ? [place] : []))
  const table = tableSums(labels.length, expected)
  // Numbers have no cells in which what was not seen could be, and nearly every item is unique.
  const ofClasses = level === 'interval' || level === 'ratio' ? null : alphaSums(level, labels.length, table.size)
  const kinds = alikeUnits(units.map((unit) => sumsOf(unit, { table, alpha: ofClasses, placeOf })))
  const items = units.reduce((sum, unit) => sum + new Set(unit.map(({ item }) => item.itemId)).size, 0)
  const trials = units.reduce((sum, unit) => sum + unit.length, 0)
  // The prior is worth two independent trials, in the trials of these units, which depend on each other.
  const priorTrials = designEffect(units.map(countsOf))
  // Alpha counts the label of an item as one more rating.
  const ratingsPerTrial = 1 + items / Math.max(1, trials)
  const prior = priorCells(matrix).map(([row, column]): AlikeUnits => {
    const sums: Sums = new Map()
    table.add(sums, row, column, priorTrials)
    ofClasses?.add(sums, [row, column], (priorTrials * ratingsPerTrial) / 2)
    return { units: 1, places: [...sums.keys()], amounts: [...sums.values()] }
  })
  const { alpha, ...ofTable } = bayesianBootstrap(
    {
      kinds,
      prior,
      shape: priorUnits / Math.max(1, prior.length),
      size: table.size + (ofClasses?.size ?? 0),
      statistics: { ...table.statistics, alpha: ofClasses?.alpha ?? (() => null) },
    },
    drawn(kinds, settings),
  )
  return { table: ofTable, alpha: ofClasses === null ? alphaOfNumbers(units, settings) : alpha }
}

function countsOf(unit: Unit): UnitCounts {
  return { trials: unit.length, matches: unit.filter(({ scored }) => scored?.match).length }
}

function alphaOfNumbers(units: readonly Unit[], settings: ReportSettings): Interval | null {
  const sums = alphaSums('interval', 0, 0)
  const kinds = alikeUnits(
    units.map((unit) => {
      const own: Sums = new Map()
      for (const ratings of ratingsOf(
        unit,
        ({ expected }) => Number(expected),
        ({ predicted }) => Number(predicted),
      ))
        sums.add(own, ratings, 1)
      return own
    }),
  )
  const { alpha } = bayesianBootstrap(
    { kinds, prior: [], shape: 1, size: sums.size, statistics: { alpha: sums.alpha } },
    drawn(kinds, settings),
  )
  return alpha
}

function drawn(kinds: readonly AlikeUnits[], { level, resamples, seed }: ReportSettings) {
  const most = Math.max(fewestResamples, Math.floor(mostDraws / Math.max(1, kinds.length)))
  return { level, seed, resamples: Math.min(resamples, most) }
}

function sumsOf(
  unit: Unit,
  {
    table,
    alpha,
    placeOf,
  }: {
    readonly table: Pick<ReturnType<typeof tableSums>, 'add'>
    readonly alpha: AlphaSums | null
    readonly placeOf: (label: string) => number
  },
): Sums {
  const sums: Sums = new Map()
  for (const { scored } of unit)
    if (scored !== null) table.add(sums, placeOf(scored.expectedClass), placeOf(scored.predictedClass), 1)
  const ratings = ratingsOf(
    unit,
    ({ expectedClass }) => placeOf(expectedClass),
    ({ predictedClass }) => placeOf(predictedClass),
  )
  for (const ofItem of ratings) alpha?.add(sums, ofItem, 1)
  return sums
}

/** What was said of each item of a unit: the label first, then each repetition. */
function ratingsOf(
  unit: Unit,
  expected: (scored: ScoredTrial) => number,
  predicted: (scored: ScoredTrial) => number,
): readonly (readonly number[])[] {
  const items = new Map<string, number[]>()
  for (const { item, scored } of unit) {
    if (scored === null) continue
    const ratings = items.get(item.itemId) ?? [expected(scored)]
    ratings.push(predicted(scored))
    items.set(item.itemId, ratings)
  }
  return [...items.values()]
}

function priorCells(matrix: ConfusionMatrix['matrix']): readonly (readonly [row: number, column: number])[] {
  const isFull = matrix.length <= mostFullClasses
  return matrix.flatMap((counts, row) =>
    counts.flatMap((count, column) => (isFull || count > 0 || row === column ? [[row, column] as const] : [])),
  )
}

/** The interval that contains a value; `null` without a value or an interval. */
function holding(value: number | null, interval: Interval | null): Interval | null {
  if (value === null || interval === null) return null
  return { ...interval, low: Math.min(value, interval.low), high: Math.max(value, interval.high) }
}

function isPoint(interval: Interval | null): boolean {
  return interval !== null && interval.low === interval.high
}
