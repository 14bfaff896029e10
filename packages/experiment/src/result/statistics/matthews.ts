import { confusionCounts, sumOf } from './confusion-counts.js'

/**
 * The correlation of two classifications (Matthews 1975; for several classes Gorodkin 2004), between −1 and 1.
 *
 * @returns `null` when either side knows one class only, and when nothing was counted
 * @throws `statistic-invalid` for a table that is not square, and negative counts
 *
 * @example
 * matthewsCorrelation([[0, 1], [1, 2]]) // -0.333, rounded
 */
export function matthewsCorrelation(matrix: readonly (readonly number[])[]): number | null {
  const { rows, columns, total, agreed } = confusionCounts('matthewsCorrelation', matrix)
  const covariance = agreed * total - sumOf(rows.map((row, index) => row * (columns[index] ?? 0)))
  const spreadOf = (margin: readonly number[]) => total ** 2 - sumOf(margin.map((count) => count ** 2))
  const [ofRows, ofColumns] = [spreadOf(rows), spreadOf(columns)]
  return ofRows === 0 || ofColumns === 0 ? null : covariance / (Math.sqrt(ofRows) * Math.sqrt(ofColumns))
}
