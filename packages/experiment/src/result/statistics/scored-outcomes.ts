import { checkValues, statisticInvalid } from './invalid.js'

/** A score, and whether what it was given to is as it should be. */
export interface ScoredOutcome {
  readonly score: number
  readonly positive: boolean
}

/**
 * How likely a positive has a higher score than a negative, equal scores counting half: the area under the ROC curve (Hanley
 * and McNeil 1982), by average ranks.
 *
 * @returns between 0 and 1, 0.5 by chance; `null` without a positive or without a negative
 * @throws `statistic-invalid` for scores that are not finite
 *
 * @example
 * auroc([{ score: 0.9, positive: true }, { score: 0.4, positive: true }, { score: 0.5, positive: false }]) // 0.5
 */
export function auroc(outcomes: readonly ScoredOutcome[]): number | null {
  checkScores('auroc', outcomes)
  const sorted = [...outcomes].sort((one, other) => one.score - other.score)
  let [positives, ranks] = [0, 0]
  for (let start = 0; start < sorted.length; ) {
    let [end, among] = [start, 0]
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) {
      among += Number(sorted[end]?.positive)
      end += 1
    }
    positives += among
    ranks += (among * (start + end + 1)) / 2
    start = end
  }
  const pairs = positives * (sorted.length - positives)
  return pairs === 0 ? null : (ranks - (positives * (positives + 1)) / 2) / pairs
}

/**
 * The mean squared distance between scores, taken for probabilities of being positive, and what is so (Brier 1950): 0 is
 * perfect, 0.25 what always 0.5 gets.
 *
 * @returns `null` of nothing
 * @throws `statistic-invalid` for scores outside [0, 1]
 *
 * @example
 * brierScore([{ score: 0.9, positive: true }, { score: 0.4, positive: false }]) // 0.085
 */
export function brierScore(outcomes: readonly ScoredOutcome[]): number | null {
  checkScores('brierScore', outcomes)
  const outside = outcomes.find(({ score }) => score < 0 || score > 1)
  if (outside !== undefined) statisticInvalid('brierScore', `a score must lie in 0 to 1, not ${outside.score}`)
  if (outcomes.length === 0) return null
  return outcomes.reduce((sum, { score, positive }) => sum + (score - Number(positive)) ** 2, 0) / outcomes.length
}

/** Refuses scores that are not finite. */
export function checkScores(statistic: string, outcomes: readonly ScoredOutcome[]): void {
  checkValues(
    statistic,
    outcomes.map(({ score }) => score),
  )
}
