import type { ToolStep } from '../tool-step.js'
import { type CallTest, maxCalls } from './expected-call.js'

/**
 * A maximum bipartite matching. Returns for each left vertex the matched right one, or -1. Left vertices before `first`
 * have priority: as many of them as possible are matched, and later vertices never displace them.
 *
 * J. E. Hopcroft, R. M. Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", SIAM Journal on Computing
 * 2(4), 1973.
 *
 * @param edges the right vertices that each left one fits
 * @param rights the number of right vertices
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
  /** The length of the shortest alternating path to each left vertex; -1: unreachable. */
  readonly layer: Int32Array
}

/**
 * Searches breadth first from the free left vertices among the first `lefts`. Returns whether it reaches a free right
 * vertex.
 */
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

/** Augments along disjoint shortest paths and returns their number. */
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
 * A heaviest common subsequence: for each left element the matched right one, or -1. With equal weights it is a longest
 * one. D. S. Hirschberg, "Algorithms for the longest common subsequence problem", Journal of the ACM 24(4), 1977 (its
 * table, kept whole).
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

/** The required order of calls. `exact`: the same list. `in-order`: one after another. `any`: in any order. */
export type Order = 'exact' | 'in-order' | 'any'

interface Comparing {
  readonly order: Order
  /** Whether a call is allowed without being expected. */
  readonly isAllowed: (step: ToolStep) => boolean
  /** Whether a call can match an expected one at all. */
  readonly counts: (step: ToolStep) => boolean
}

export interface Compared {
  /** For each expected call the indices of the actual calls that match it. */
  readonly matched: readonly (readonly number[])[]
  /** The indices of actual calls that match none and are not allowed. */
  readonly unexpected: readonly number[]
  readonly isMatch: boolean
  /** F1: twice the matched calls, divided by the expected plus the actual ones. Allowed extra calls do not count. */
  readonly score: number
}

/** A place for one actual call. An expected call may have several; optional ones may stay empty. */
interface Slot {
  readonly expected: number
  readonly isNeeded: boolean
}

export function comparedCalls(tests: readonly CallTest[], steps: readonly ToolStep[], comparing: Comparing): Compared {
  const isFit = fitting(tests, steps, comparing)
  const slots = slotsOf(tests, steps)
  const places =
    comparing.order === 'any' ? inAnyOrder(slots, isFit, steps.length) : inOrder(slots, isFit, steps, comparing)
  const matched: number[][] = tests.map(() => [])
  for (const { slot, step } of places) matched[slot.expected]?.push(step)
  const taken = new Set(places.map(({ step }) => step))
  const unexpected = [...steps.keys()].filter(
    (index) => !taken.has(index) && !comparing.isAllowed(steps[index] as ToolStep),
  )
  const missing = tests.reduce((sum, { lowest }, index) => sum + Math.max(0, lowest - (matched[index]?.length ?? 0)), 0)
  const of = 2 * places.length + missing + unexpected.length
  return {
    matched,
    unexpected,
    isMatch: missing === 0 && unexpected.length === 0,
    score: of === 0 ? 1 : (2 * places.length) / of,
  }
}

/**
 * Required places come before optional ones of the same call. Places beyond the number of calls of that name are never
 * filled.
 */
function slotsOf(tests: readonly CallTest[], steps: readonly ToolStep[]): readonly Slot[] {
  const called = new Map<string, number>()
  for (const { name } of steps) called.set(name, (called.get(name) ?? 0) + 1)
  return tests.flatMap(({ name, lowest, highest }, expected) => {
    const length = Math.max(lowest, Math.min(highest, called.get(name) ?? 0))
    return Array.from({ length }, (_, index) => ({ expected, isNeeded: index < lowest }))
  })
}

type Fit = (expected: number, step: number) => boolean

/** Each input is tested once against each expected call. */
function fitting(tests: readonly CallTest[], steps: readonly ToolStep[], { counts }: Comparing): Fit {
  const inputs = new Map<string, number>()
  const inputOf = steps.map(({ input }) => {
    const text = JSON.stringify(input) ?? ''
    const known = inputs.get(text)
    if (known !== undefined) return known
    inputs.set(text, inputs.size)
    return inputs.size - 1
  })
  const [unknown, yes, no] = [0, 1, 2]
  const known = new Uint8Array(tests.length * Math.max(1, inputs.size))
  return (expected, index) => {
    const [test, step] = [tests[expected], steps[index]]
    if (test === undefined || step === undefined || test.name !== step.name || !counts(step)) return false
    const place = expected * inputs.size + (inputOf[index] ?? 0)
    if (known[place] === unknown) known[place] = test.fits(step.input) ? yes : no
    return known[place] === yes
  }
}

interface Place {
  readonly slot: Slot
  readonly step: number
}

function inAnyOrder(slots: readonly Slot[], isFit: Fit, count: number): readonly Place[] {
  const sorted = [...slots.filter(({ isNeeded }) => isNeeded), ...slots.filter(({ isNeeded }) => !isNeeded)]
  const edgesOf = new Map<number, readonly number[]>()
  const indices = Array.from({ length: count }, (_, index) => index)
  const edges = sorted.map(({ expected }) => {
    const known = edgesOf.get(expected) ?? indices.filter((index) => isFit(expected, index))
    edgesOf.set(expected, known)
    return known
  })
  const needed = sorted.filter(({ isNeeded }) => isNeeded).length
  return placesOf(sorted, maximumMatching(edges, count, needed))
}

/** Maximises first the required places and the calls that are not allowed as extras, then all calls. */
function inOrder(
  slots: readonly Slot[],
  isFit: Fit,
  steps: readonly ToolStep[],
  { isAllowed }: Comparing,
): readonly Place[] {
  const isBound = steps.map((step) => !isAllowed(step))
  const weight = (left: number, right: number): number => {
    const slot = slots[left]
    if (slot === undefined || !isFit(slot.expected, right)) return 0
    return 1 + (slot.isNeeded ? 4 * maxCalls : 0) + (isBound[right] ? 4 * maxCalls : 0)
  }
  return placesOf(slots, commonSubsequence(slots.length, steps.length, weight))
}

function placesOf(slots: readonly Slot[], matches: readonly number[]): readonly Place[] {
  return slots.flatMap((slot, index) => {
    const step = matches[index] ?? -1
    return step === -1 ? [] : [{ slot, step }]
  })
}
