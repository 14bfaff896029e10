import { sumOf } from './confusion.js'
import { statisticInvalid } from './invalid.js'

/** How rating values relate: as names, in an order, by differences, or by ratios. */
export type MeasurementLevel = 'nominal' | 'ordinal' | 'interval' | 'ratio'

/** A rater's rating of a unit: a number or a category. */
export type Rating = number | string

/**
 * Agreement of any number of raters with missing ratings (Krippendorff 2011, Computing Krippendorff's Alpha-Reliability):
 * 1 − observed/expected disagreement.
 *
 * @param ratings by rater, then unit; `null`: no rating. Units with fewer than two ratings are left out
 * @param level default `nominal`. The others need numbers, `ratio` none below 0; for `ordinal` give places in the order
 * @returns `null` when the ratings that are left do not differ, or none are left
 * @throws `statistic-invalid` for raters with unequal numbers of units, and values that the level does not allow
 *
 * @example
 * import { krippendorffAlpha } from '@jurist/experiment/calibrate'
 *
 * krippendorffAlpha([[1, 0], [1, 0], [0, null]]) // 0.333, rounded
 */
export function krippendorffAlpha(
  ratings: readonly (readonly (Rating | null)[])[],
  level: MeasurementLevel = 'nominal',
): number | null {
  const units = pairableUnits(ratings)
  return weightedAlpha(units, level)(units.map(() => 1))
}

/**
 * Alpha of units that count as often as their weights say, as in resamples.
 *
 * @param units the ratings of each unit, at least two
 */
export function weightedAlpha(
  units: readonly (readonly Rating[])[],
  level: MeasurementLevel,
): (weights: readonly number[]) => number | null {
  const all = units.flat()
  if (level !== 'nominal') checkNumbers(all, level)
  else if (all.some(Number.isNaN)) statisticInvalid('krippendorffAlpha', 'ratings must be strings or numbers, not NaN')
  const unitOf = units.flatMap((unit, index) => unit.map(() => index))
  const onceEach = units.map((unit) => unit.map(() => 1))
  const withinBy = (disagreement: Disagreement) =>
    units.map((unit, index) => disagreement(unit, onceEach[index] ?? []) / (unit.length - 1))
  // Only the ordinal level depends on how often each value occurs.
  const within = level === 'ordinal' ? null : withinBy(disagreementAt(level, all, onceEach.flat()))
  return (weights) => {
    const ofAll = unitOf.map((index) => weights[index] ?? 0)
    const disagreement = disagreementAt(level, all, ofAll)
    const expected = disagreement(all, ofAll)
    if (expected <= 0) return null
    const observed = sumOf((within ?? withinBy(disagreement)).map((value, index) => value * (weights[index] ?? 0)))
    return 1 - ((sumOf(ofAll) - 1) * observed) / expected
  }
}

function pairableUnits(ratings: readonly (readonly (Rating | null)[])[]): readonly (readonly Rating[])[] {
  const [first = []] = ratings
  const ragged = ratings.findIndex((row) => row.length !== first.length)
  if (ragged >= 0)
    statisticInvalid(
      'krippendorffAlpha',
      `rater 0 has ${first.length} units, rater ${ragged} ${ratings[ragged]?.length}`,
    )
  return first.map((_, unit) => ratings.flatMap((row) => row[unit] ?? [])).filter((values) => values.length >= 2)
}

function checkNumbers(values: readonly Rating[], level: MeasurementLevel): void {
  const bad = values.find((value) => !Number.isFinite(value) || (level === 'ratio' && Number(value) < 0))
  if (bad !== undefined)
    statisticInvalid(
      'krippendorffAlpha',
      `${level} ratings must be numbers${level === 'ratio' ? ' of at least 0' : ''}, not ${bad}`,
    )
}

/** The sum of the disagreement over all ordered pairs of values, each value weighted. */
type Disagreement = (values: readonly Rating[], weights: readonly number[]) => number

function disagreementAt(level: MeasurementLevel, all: readonly Rating[], weights: readonly number[]): Disagreement {
  switch (level) {
    case 'nominal':
      return (values, times) =>
        sumOf(times) ** 2 - sumOf([...countsOf(values, times).values()].map((count) => count ** 2))
    case 'ordinal': {
      // The ordinal metric by cumulated frequencies is the distance between middle ranks.
      const ranks = middleRanks(countsOf(all, weights))
      return (values, times) =>
        squaredDifferences(
          values.map((value) => ranks.get(value) ?? 0),
          times,
        )
    }
    case 'interval':
      return (values, times) => squaredDifferences(values.map(Number), times)
    case 'ratio':
      return (values, times) => ratioDifferences(countsOf(values.map(Number), times))
    default:
      return statisticInvalid(
        'krippendorffAlpha',
        `level must be nominal, ordinal, interval or ratio, not ${level satisfies never}`,
      )
  }
}

function countsOf<Value>(values: readonly Value[], weights: readonly number[]): ReadonlyMap<Value, number> {
  const counts = new Map<Value, number>()
  for (const [index, value] of values.entries()) counts.set(value, (counts.get(value) ?? 0) + (weights[index] ?? 0))
  return counts
}

function middleRanks(counts: ReadonlyMap<Rating, number>): ReadonlyMap<Rating, number> {
  let below = 0
  const sorted = [...counts].sort(([a], [b]) => Number(a) - Number(b))
  return new Map(
    sorted.map(([value, count]) => {
      below += count
      return [value, below - count / 2]
    }),
  )
}

/** Σ (a − b)² over ordered pairs is 2n Σ (a − mean)², which is linear in their number. */
function squaredDifferences(values: readonly number[], weights: readonly number[]): number {
  // The mean of equal values may be off by rounding: they do not differ for that.
  if (values.every((value) => value === values[0])) return 0
  let [n, sum, squares] = [0, 0, 0]
  for (const [index, value] of values.entries()) {
    n += weights[index] ?? 0
    sum += value * (weights[index] ?? 0)
  }
  for (const [index, value] of values.entries()) squares += (weights[index] ?? 0) * (value - sum / n) ** 2
  return 2 * n * squares
}

function ratioDifferences(counts: ReadonlyMap<number, number>): number {
  const values = [...counts]
  return sumOf(
    values.map(([a, timesA]) =>
      sumOf(values.map(([b, timesB]) => (a === b ? 0 : timesA * timesB * ((a - b) / (a + b)) ** 2))),
    ),
  )
}
