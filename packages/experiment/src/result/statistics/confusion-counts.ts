import { checkCounts, statisticInvalid } from './invalid.js'

/** A square table of counts with its margins: rows are one rater's categories, columns the other's. */
export interface ConfusionCounts {
  readonly matrix: readonly (readonly number[])[]
  readonly total: number
  readonly rows: readonly number[]
  readonly columns: readonly number[]
  /** Counts on the diagonal. */
  readonly agreed: number
}

/** Checks and sums a square table of counts. */
export function confusionCounts(statistic: string, matrix: readonly (readonly number[])[]): ConfusionCounts {
  const size = matrix.length
  const ragged = matrix.findIndex((row) => row.length !== size)
  if (ragged >= 0)
    statisticInvalid(statistic, `the matrix must be square, but row ${ragged} of ${size} has ${matrix[ragged]?.length}`)
  for (const [index, row] of matrix.entries())
    checkCounts(statistic, Object.fromEntries(row.map((count, column) => [`matrix[${index}][${column}]`, count])))
  const rows = matrix.map(sumOf)
  return {
    matrix,
    rows,
    columns: matrix.map((_, column) => sumOf(matrix.map((row) => row[column] ?? 0))),
    total: sumOf(rows),
    agreed: sumOf(matrix.map((row, index) => row[index] ?? 0)),
  }
}

/** The sum of some numbers; 0 of none. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
