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
  return tableOf(matrix)
}

/** A square table with its margins; in a resample its counts are weights. */
export function tableOf(matrix: readonly (readonly number[])[]): ConfusionCounts {
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

/**
 * The correlation of two classifications (Matthews 1975; for several classes Gorodkin 2004), between −1 and 1.
 *
 * @returns `null` when either side knows one class only, and when nothing was counted
 * @throws `statistic-invalid` for a table that is not square, and negative counts
 */
export function matthewsCorrelation(matrix: readonly (readonly number[])[]): number | null {
  return correlationIn(confusionCounts('matthewsCorrelation', matrix))
}

/** `matthewsCorrelation` of a table whose margins are known. */
export function correlationIn({ rows, columns, total, agreed }: ConfusionCounts): number | null {
  const covariance = agreed * total - sumOf(rows.map((row, index) => row * (columns[index] ?? 0)))
  const spreadOf = (margin: readonly number[]) => total ** 2 - sumOf(margin.map((count) => count ** 2))
  const [ofRows, ofColumns] = [spreadOf(rows), spreadOf(columns)]
  return ofRows <= 0 || ofColumns <= 0 ? null : covariance / (Math.sqrt(ofRows) * Math.sqrt(ofColumns))
}

/**
 * The mean recall.
 *
 * @param classes over these; `null` where one of them was not expected. Default: those that were
 */
export function balancedAccuracyIn(
  { matrix, rows }: ConfusionCounts,
  classes: readonly number[] = [...rows.keys()].filter((place) => rows[place] !== 0),
): number | null {
  const recalls = classes.flatMap((place) => ratio(matrix[place]?.[place] ?? 0, rows[place] ?? 0) ?? [])
  return recalls.length === 0 || recalls.length < classes.length ? null : sumOf(recalls) / recalls.length
}

/** How well one class is found. `null`: a denominator is 0. */
export interface ClassScores {
  /** How often the class was expected. */
  readonly support: number
  readonly predicted: number
  readonly precision: number | null
  readonly recall: number | null
  readonly f1: number | null
}

/**
 * Precision, recall and F1 of every class of a confusion matrix: rows expected, columns predicted.
 *
 * @throws `statistic-invalid` for a matrix that is not square or has not as many rows as labels, and negative counts
 */
export function perClassScores(confusion: {
  readonly labels: readonly string[]
  readonly matrix: readonly (readonly number[])[]
}): Readonly<Record<string, ClassScores>> {
  const { labels, matrix } = confusion
  const { rows, columns } = confusionCounts('perClassScores', matrix)
  if (labels.length !== matrix.length || new Set(labels).size !== labels.length)
    statisticInvalid('perClassScores', `${matrix.length} rows need as many different labels, not ${labels.length}`)
  return Object.fromEntries(
    labels.map((label, index) => {
      const [hits, support, predicted] = [matrix[index]?.[index] ?? 0, rows[index] ?? 0, columns[index] ?? 0]
      const scores: ClassScores = {
        support,
        predicted,
        precision: ratio(hits, predicted),
        recall: ratio(hits, support),
        f1: ratio(2 * hits, support + predicted),
      }
      return [label, scores]
    }),
  )
}

/** A share; `null` of nothing. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
