import { sumOf } from './confusion-counts.js'
import { checkCounts, statisticInvalid } from './invalid.js'

/**
 * Agreement of many raters corrected for chance (Fleiss 1971): rows are items, columns categories, and a cell says how many
 * raters chose that category. Every item has as many ratings.
 *
 * @returns `null` when there is no item, or all ratings are in one category
 * @throws `statistic-invalid` for rows of unequal length or sum, fewer than two ratings, negative counts
 *
 * @example
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
