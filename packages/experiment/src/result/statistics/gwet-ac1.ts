import { confusionCounts, sumOf } from './confusion-counts.js'

/**
 * Agreement corrected for chance that stays meaningful when nearly everything is of one class (Gwet 2008, AC1).
 *
 * @returns `null` below two categories, and when nothing was counted
 * @throws `statistic-invalid` for a table that is not square, and negative counts
 *
 * @example
 * gwetAC1([[118, 5], [2, 0]]) // 0.941, rounded
 */
export function gwetAC1(matrix: readonly (readonly number[])[]): number | null {
  const { rows, columns, total, agreed } = confusionCounts('gwetAC1', matrix)
  const categories = matrix.length
  if (categories < 2 || total === 0) return null
  const shares = rows.map((row, index) => (row + (columns[index] ?? 0)) / (2 * total))
  const chance = sumOf(shares.map((share) => share * (1 - share))) / (categories - 1)
  return (agreed / total - chance) / (1 - chance)
}
