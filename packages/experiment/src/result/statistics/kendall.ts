import { checkPairs } from './spearman.js'

/**
 * The rank correlation τ-b of Kendall 1945, which allows for equal values, in n·log n steps by the algorithm of Knight 1966.
 *
 * @returns `null` when a side does not vary
 * @throws `statistic-invalid` for unequal lengths, and values that are not finite
 *
 * @example
 * kendallTauB([12, 2, 1, 12, 2], [1, 4, 7, 1, 0]) // -0.471, rounded
 */
export function kendallTauB(a: readonly number[], b: readonly number[]): number | null {
  checkPairs('kendallTauB', a, b)
  const pairs = a.map((value, index): Pair => [value, b[index] ?? 0]).sort(([a1, b1], [a2, b2]) => a1 - a2 || b1 - b2)
  const all = choose2(pairs.length)
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

function choose2(count: number): number {
  return (count * (count - 1)) / 2
}

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

/** Merges two neighbouring runs of `width` sorted values; answers with how many pairs stood in the wrong order. */
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
