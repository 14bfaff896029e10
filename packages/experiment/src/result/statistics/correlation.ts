import { sumOf } from './confusion.js'
import { meanOf } from './descriptive.js'
import { checkValues, statisticInvalid } from './invalid.js'

/**
 * The product-moment correlation of Pearson 1895.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 */
export function pearson(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('pearson', a, b)
  // The mean of equal values may be off by rounding: they do not vary for that.
  if ([a, b].some((side) => side.every((value) => value === side[0]))) return null
  const [meanA, meanB] = [meanOf(a), meanOf(b)]
  const products = sumOf(a.map((value, index) => (value - meanA) * ((b[index] ?? 0) - meanB)))
  const spread = (side: readonly number[], mean: number) => Math.sqrt(sumOf(side.map((value) => (value - mean) ** 2)))
  const bound = spread(a, meanA) * spread(b, meanB)
  return bound === 0 ? null : Math.min(1, Math.max(-1, products / bound))
}

/**
 * The rank correlation of Spearman 1904: Pearson's correlation of the ranks, equal values sharing their average rank.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 */
export function spearman(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('spearman', a, b)
  const [ranksA, ranksB] = [deviatingRanks(a), deviatingRanks(b)]
  const squares = (ranks: readonly number[]) => sumOf(ranks.map((rank) => rank * rank))
  const spread = Math.sqrt(squares(ranksA)) * Math.sqrt(squares(ranksB))
  return spread === 0 ? null : sumOf(ranksA.map((rank, index) => rank * (ranksB[index] ?? 0))) / spread
}

/** Refuses lists of pairs that do not fit each other. */
function checkPairs(statistic: string, a: readonly number[], b: readonly number[]): void {
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

/**
 * The rank correlation τ-b of Kendall 1945, which allows for equal values, in n·log n steps by the algorithm of Knight 1966.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 */
export function kendallTauB(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('kendallTauB', a, b)
  const pairs = a.map((value, index): Pair => [value, b[index] ?? 0]).sort(([a1, b1], [a2, b2]) => a1 - a2 || b1 - b2)
  const all = (pairs.length * (pairs.length - 1)) / 2
  const tiedA = tiedPairs(pairs, ([a1], [a2]) => a1 === a2)
  const tiedBoth = tiedPairs(pairs, ([a1, b1], [a2, b2]) => a1 === a2 && b1 === b2)
  const { sorted, swaps } = mergeSort(pairs.map(([, value]) => value))
  const tiedB = tiedPairs(sorted, (b1, b2) => b1 === b2)
  if (all === tiedA || all === tiedB) return null
  // Concordant less discordant pairs: all that are tied on no side, less twice the discordant ones.
  const balance = all - tiedA - tiedB + tiedBoth - 2 * swaps
  return balance / (Math.sqrt(all - tiedA) * Math.sqrt(all - tiedB))
}

type Pair = readonly [number, number]

/** How many pairs of sorted values are equal. */
function tiedPairs<Value>(sorted: readonly Value[], equal: (one: Value, other: Value) => boolean): number {
  let [ties, run] = [0, 0]
  for (const [index, value] of sorted.entries()) {
    const before = sorted[index - 1]
    run = index > 0 && before !== undefined && equal(before, value) ? run + 1 : 0
    ties += run
  }
  return ties
}

/** Sorts, and counts how many pairs stood in the wrong order. */
function mergeSort(values: readonly number[]): { readonly sorted: readonly number[]; readonly swaps: number } {
  let swaps = 0
  let from = Float64Array.from(values)
  let to = new Float64Array(values.length)
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) swaps += merge(from, to, start, width)
    ;[from, to] = [to, from]
  }
  return { sorted: [...from], swaps }
}

/** Merges two neighbouring runs of `width` sorted values; returns the number of pairs in the wrong order. */
function merge(from: Float64Array, to: Float64Array, start: number, width: number): number {
  const middle = Math.min(start + width, from.length)
  const end = Math.min(start + 2 * width, from.length)
  let [left, right, swaps] = [start, middle, 0]
  for (let place = start; place < end; place += 1) {
    const takesLeft = left < middle && (right >= end || (from[left] ?? 0) <= (from[right] ?? 0))
    if (!takesLeft) swaps += middle - left
    to[place] = from[takesLeft ? left++ : right++] ?? 0
  }
  return swaps
}
