/**
 * A maximum bipartite matching: for each left vertex the right one that it is matched with, or -1. Left vertices before
 * `first` come first: as many of them are matched as can be, and no later one takes that away.
 *
 * J. E. Hopcroft, R. M. Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", SIAM Journal on Computing 2(4),
 * 1973.
 *
 * @param edges the right vertices that each left one fits
 * @param rights how many right vertices there are
 *
 * @example
 * maximumMatching([[0, 1], [0]], 2, 2) // [1, 0]
 */
export function maximumMatching(
  edges: readonly (readonly number[])[],
  rights: number,
  first: number,
): readonly number[] {
  const matching: Matching = {
    edges,
    ofLeft: new Int32Array(edges.length).fill(-1),
    ofRight: new Int32Array(rights).fill(-1),
    layer: new Int32Array(edges.length),
  }
  // An augmenting path never leaves a matched left vertex unmatched.
  for (const lefts of [first, edges.length]) while (isLayered(matching, lefts) && augment(matching, lefts) > 0);
  return [...matching.ofLeft]
}

interface Matching {
  readonly edges: readonly (readonly number[])[]
  readonly ofLeft: Int32Array
  readonly ofRight: Int32Array
  /** The length of the shortest alternating path to each left vertex; -1: no path leads there. */
  readonly layer: Int32Array
}

/** Breadth first from the free left vertices among the first `lefts`: whether a free right vertex can be reached. */
function isLayered({ edges, ofLeft, ofRight, layer }: Matching, lefts: number): boolean {
  layer.fill(-1)
  const queue: number[] = []
  for (let left = 0; left < lefts; left += 1)
    if (ofLeft[left] === -1) {
      layer[left] = 0
      queue.push(left)
    }
  let isFree = false
  for (const left of queue)
    for (const right of edges[left] ?? []) {
      const next = ofRight[right] ?? -1
      if (next === -1) isFree = true
      else if (layer[next] === -1) {
        layer[next] = (layer[left] ?? 0) + 1
        queue.push(next)
      }
    }
  return isFree
}

/** Augments along disjoint shortest paths; how many there were. */
function augment(matching: Matching, lefts: number): number {
  const next = new Int32Array(matching.edges.length)
  let paths = 0
  for (let left = 0; left < lefts; left += 1)
    if (matching.ofLeft[left] === -1 && hasPath(matching, left, next)) paths += 1
  return paths
}

function hasPath(matching: Matching, left: number, next: Int32Array): boolean {
  const { edges, ofLeft, ofRight, layer } = matching
  const own = edges[left] ?? []
  for (let at = next[left] ?? 0; at < own.length; at += 1) {
    next[left] = at + 1
    const right = own[at] as number
    const other = ofRight[right] as number
    if (other !== -1 && (layer[other] !== (layer[left] as number) + 1 || !hasPath(matching, other, next))) continue
    ofLeft[left] = right
    ofRight[right] = left
    return true
  }
  layer[left] = -1
  return false
}

/**
 * A heaviest common subsequence: for each left element the right one that it is matched with, or -1. With equal weights it
 * is a longest one. D. S. Hirschberg, "Algorithms for the longest common subsequence problem", Journal of the ACM 24(4), 1977
 * (its table, kept whole).
 *
 * @param weight of matching two elements; 0: they do not fit
 */
export function commonSubsequence(
  lefts: number,
  rights: number,
  weight: (left: number, right: number) => number,
): readonly number[] {
  const width = rights + 1
  const best = new Float64Array((lefts + 1) * width)
  const at = (left: number, right: number) => best[left * width + right] as number
  for (let left = lefts - 1; left >= 0; left -= 1)
    for (let right = rights - 1; right >= 0; right -= 1) {
      const own = weight(left, right)
      const matched = own === 0 ? 0 : own + at(left + 1, right + 1)
      best[left * width + right] = Math.max(matched, at(left + 1, right), at(left, right + 1))
    }
  const matches = new Array<number>(lefts).fill(-1)
  for (let left = 0, right = 0; left < lefts && right < rights; ) {
    const own = weight(left, right)
    if (own > 0 && at(left, right) === own + at(left + 1, right + 1)) {
      matches[left] = right
      left += 1
      right += 1
    } else if (at(left, right) === at(left + 1, right)) left += 1
    else right += 1
  }
  return matches
}
