import { sumOf } from './confusion-counts.js'
import { checkValues, statisticInvalid } from './invalid.js'

/**
 * The rank correlation of Spearman 1904: Pearson's correlation of the ranks, equal values sharing their average rank.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 *
 * @example
 * spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7]) // 0.821, rounded
 */
export function spearman(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('spearman', a, b)
  const [ranksA, ranksB] = [deviatingRanks(a), deviatingRanks(b)]
  const squares = (ranks: readonly number[]) => sumOf(ranks.map((rank) => rank * rank))
  const spread = Math.sqrt(squares(ranksA)) * Math.sqrt(squares(ranksB))
  return spread === 0 ? null : sumOf(ranksA.map((rank, index) => rank * (ranksB[index] ?? 0))) / spread
}

/** Refuses lists of pairs that do not fit each other. */
export function checkPairs(statistic: string, a: readonly number[], b: readonly number[]): void {
  if (a.length !== b.length)
    statisticInvalid(statistic, `both sides need as many values, not ${a.length} and ${b.length}`)
  checkValues(statistic, a)
  checkValues(statistic, b)
}

/** Average ranks less their mean, which is exact: ranks are whole or half numbers. */
function deviatingRanks(values: readonly number[]): readonly number[] {
  const order = values.map((_, index) => index).sort((i, j) => (values[i] ?? 0) - (values[j] ?? 0))
  const ranks = new Array<number>(values.length).fill(0)
  const mean = (values.length + 1) / 2
  for (let start = 0; start < order.length; ) {
    let end = start + 1
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end += 1
    for (const place of order.slice(start, end)) ranks[place] = (start + end + 1) / 2 - mean
    start = end
  }
  return ranks
}
