/**
 * Solves `matrix · X = right` by Gaussian elimination with partial pivoting; `null` when the matrix is singular.
 *
 * @param right one row for each row of the matrix, any number of columns
 */
export function solve(
  matrix: readonly (readonly number[])[],
  right: readonly (readonly number[])[],
): readonly (readonly number[])[] | null {
  const size = matrix.length
  const rows = matrix.map((row, index) => [...row, ...(right[index] ?? [])])
  for (let column = 0; column < size; column += 1) {
    const pivot = pivotRow(rows, column)
    const chosen = rows[pivot]
    const value = chosen?.[column] ?? 0
    if (chosen === undefined || Math.abs(value) < Number.EPSILON) return null
    rows[pivot] = rows[column] ?? chosen
    rows[column] = chosen.map((entry) => entry / value)
    eliminate(rows, column)
  }
  return rows.map((row) => row.slice(size))
}

function pivotRow(rows: readonly (readonly number[])[], column: number): number {
  let best = column
  for (let index = column; index < rows.length; index += 1)
    if (Math.abs(rows[index]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0)) best = index
  return best
}

function eliminate(rows: number[][], column: number): void {
  const chosen = rows[column] ?? []
  rows.forEach((row, index) => {
    const factor = row[column] ?? 0
    if (index === column || factor === 0) return
    rows[index] = row.map((entry, at) => entry - factor * (chosen[at] ?? 0))
  })
}
