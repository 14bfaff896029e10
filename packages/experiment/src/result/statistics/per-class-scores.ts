import { confusionCounts } from './confusion-counts.js'
import { statisticInvalid } from './invalid.js'

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
 *
 * @example
 * perClassScores({ labels: ['pass', 'fail'], matrix: [[40, 10], [5, 45]] }).pass?.recall // 0.8
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
