import type { Interval } from '../summary.js'
import { type ConfusionCounts, confusionCounts, sumOf } from './confusion.js'
import { normalQuantile } from './distributions.js'
import { checkCounts, checkLevel, statisticInvalid } from './invalid.js'

/** Agreement corrected for chance, with its error. All `null` when it is not defined. */
export interface Kappa {
  readonly value: number | null
  readonly standardError: number | null
  readonly interval: Interval | null
}

/** How much a pair of categories counts as agreement. */
export type KappaWeights = 'none' | 'linear' | 'quadratic'

/**
 * Cohen's kappa of a square table of counts (Cohen 1960, weighted 1968) with the asymptotic standard error of Fleiss, Cohen
 * and Everitt 1969, and an interval clipped to [−1, 1].
 *
 * @param options.weights `linear` and `quadratic` let neighbouring categories agree in part. Default `none`
 * @param options.level default 0.95
 * @returns all `null` when nothing was counted, or chance alone would always agree; no error and no interval when a rater
 * knows one category only
 * @throws `statistic-invalid` for a table that is not square, negative counts, a level outside (0, 1)
 *
 * @example
 * import { cohenKappa } from '@jurist/experiment/calibrate'
 *
 * cohenKappa([[45, 15], [25, 15]]).value // 0.130, rounded
 */
export function cohenKappa(
  matrix: readonly (readonly number[])[],
  options: { readonly weights?: KappaWeights; readonly level?: number } = {},
): Kappa {
  const { weights = 'none', level = 0.95 } = options
  checkLevel('cohenKappa', level)
  const counts = confusionCounts('cohenKappa', matrix)
  const value = kappaIn(counts, weights)
  if (value === null) return { value, standardError: null, interval: null }
  // If one rater uses a single category, kappa is 0 whatever the other does: its error of 0 would be meaningless.
  if ([counts.rows, counts.columns].some((margin) => margin.includes(counts.total)))
    return { value, standardError: null, interval: null }
  const standardError = asymptoticError(counts, weighing(weights, matrix.length), value)
  const half = normalQuantile((1 + level) / 2) * standardError
  return {
    value,
    standardError,
    interval: { low: Math.max(-1, value - half), high: Math.min(1, value + half), level, method: 'asymptotic' },
  }
}

/** The value of `cohenKappa` of a table whose margins are known. */
export function kappaIn(counts: ConfusionCounts, weights: KappaWeights = 'none'): number | null {
  const { matrix, total } = counts
  const weight = weighing(weights, matrix.length)
  const chance = chanceOf(counts, weight)
  if (total === 0 || chance >= 1) return null
  const observed = weightedSum(counts, weight, (row, column) => (matrix[row]?.[column] ?? 0) / total)
  return (observed - chance) / (1 - chance)
}

/** The agreement to expect of raters with these margins by chance. */
function chanceOf(counts: ConfusionCounts, weight: Weight): number {
  const { rows, columns, total } = counts
  return weightedSum(counts, weight, (row, column) => shareOf(rows, row, total) * shareOf(columns, column, total))
}

type Weight = (row: number, column: number) => number

function weighing(weights: KappaWeights, size: number): Weight {
  const distance: Weight = (row, column) => Math.abs(row - column) / (size - 1)
  switch (weights) {
    case 'none':
      return (row, column) => (row === column ? 1 : 0)
    case 'linear':
      return (row, column) => (row === column ? 1 : 1 - distance(row, column))
    case 'quadratic':
      return (row, column) => (row === column ? 1 : 1 - distance(row, column) ** 2)
    default:
      return statisticInvalid('cohenKappa', `weights must be none, linear or quadratic, not ${weights satisfies never}`)
  }
}

function shareOf(margin: readonly number[], index: number, total: number): number {
  return total === 0 ? 0 : (margin[index] ?? 0) / total
}

/** The sum of some value over all cells, each weighted. */
function weightedSum({ matrix }: ConfusionCounts, weight: Weight, cell: Weight): number {
  return matrix.reduce(
    (sum, _, row) => matrix.reduce((within, _cell, column) => within + weight(row, column) * cell(row, column), sum),
    0,
  )
}

/** Fleiss, Cohen and Everitt 1969, Psychological Bulletin 72:323, equation 15, with the sample's own proportions. */
function asymptoticError(counts: ConfusionCounts, weight: Weight, kappa: number): number {
  const { matrix, rows, columns, total } = counts
  const chance = chanceOf(counts, weight)
  const ofRow = matrix.map((_, row) =>
    columns.reduce((sum, _count, column) => sum + weight(row, column) * shareOf(columns, column, total), 0),
  )
  const ofColumn = matrix.map((_, column) =>
    rows.reduce((sum, _count, row) => sum + weight(row, column) * shareOf(rows, row, total), 0),
  )
  // The term that the paper subtracts is the mean of what it squares: written as a variance, nothing is lost in rounding.
  const mean = kappa - chance * (1 - kappa)
  const spread = weightedSum(
    counts,
    () => 1,
    (row, column) => {
      const expected = ((ofRow[row] ?? 0) + (ofColumn[column] ?? 0)) * (1 - kappa)
      return ((matrix[row]?.[column] ?? 0) / total) * (weight(row, column) - expected - mean) ** 2
    },
  )
  return Math.sqrt(spread / total) / (1 - chance)
}

/**
 * Agreement of many raters corrected for chance (Fleiss 1971): rows are items, columns categories, and a cell counts the
 * raters that chose that category. Every item has as many ratings.
 *
 * @returns `null` when there is no item, or all ratings are in one category
 * @throws `statistic-invalid` for rows of unequal length or sum, fewer than two ratings, negative counts
 *
 * @example
 * import { fleissKappa } from '@jurist/experiment/calibrate'
 *
 * fleissKappa([[6, 1, 0], [0, 7, 0]]) // 0.708, rounded
 */
export function fleissKappa(table: readonly (readonly number[])[]): number | null {
  const [first = []] = table
  const raters = sumOf(first)
  for (const [index, row] of table.entries()) {
    checkCounts('fleissKappa', Object.fromEntries(row.map((count, column) => [`table[${index}][${column}]`, count])))
    if (row.length !== first.length)
      statisticInvalid('fleissKappa', `every row needs ${first.length} categories, but row ${index} has ${row.length}`)
    if (sumOf(row) !== raters || raters < 2)
      statisticInvalid(
        'fleissKappa',
        `every row needs the same number of ratings, at least 2; row ${index} has ${sumOf(row)}`,
      )
  }
  const items = table.length
  const chosen = first.map((_, column) => sumOf(table.map((row) => row[column] ?? 0)))
  if (items === 0 || chosen.some((count) => count === items * raters)) return null
  const chance = sumOf(chosen.map((count) => (count / (items * raters)) ** 2))
  const pairs = raters * (raters - 1)
  const observed = sumOf(table.map((row) => (sumOf(row.map((count) => count * count)) - raters) / pairs)) / items
  return (observed - chance) / (1 - chance)
}

/**
 * Agreement corrected for chance that stays meaningful when nearly everything is of one class (Gwet 2008, AC1).
 *
 * @returns `null` below two categories, and when nothing was counted
 * @throws `statistic-invalid` for a table that is not square, and negative counts
 *
 * @example
 * import { gwetAC1 } from '@jurist/experiment/calibrate'
 *
 * gwetAC1([[118, 5], [2, 0]]) // 0.941, rounded
 */
export function gwetAC1(matrix: readonly (readonly number[])[]): number | null {
  return gwetAC1In(confusionCounts('gwetAC1', matrix))
}

/** `gwetAC1` of a table whose margins are known. */
export function gwetAC1In({ rows, columns, total, agreed }: ConfusionCounts): number | null {
  const categories = rows.length
  if (categories < 2 || total === 0) return null
  const shares = rows.map((row, index) => (row + (columns[index] ?? 0)) / (2 * total))
  const chance = sumOf(shares.map((share) => share * (1 - share))) / (categories - 1)
  return (agreed / total - chance) / (1 - chance)
}
