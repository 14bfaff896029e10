import type { ToolStep } from '../tool-step.js'
import { type CallTest, maxCalls } from './expected-call.js'
import { commonSubsequence, maximumMatching } from './matching.js'

/** How calls are ordered: `exact`: the same list. `in-order`: one after another. `any`: in any order. */
export type Order = 'exact' | 'in-order' | 'any'

/** How actual calls are compared with the expected ones. */
export interface Comparing {
  readonly order: Order
  /** Whether a call may come besides. */
  readonly isAllowed: (step: ToolStep) => boolean
  /** Whether a call can be an expected one at all. */
  readonly counts: (step: ToolStep) => boolean
}

/** What is matched with what. */
export interface Compared {
  /** For each expected call the actual ones that match it, by index. */
  readonly matched: readonly (readonly number[])[]
  /** Actual calls that match none and may not come besides, by index. */
  readonly unexpected: readonly number[]
  readonly isMatch: boolean
  /** F1: twice the matched calls, over the expected and the actual ones. Calls that may come besides do not count. */
  readonly score: number
}

/** One place for an actual call: an expected call may have several, some of which may stay empty. */
interface Slot {
  readonly expected: number
  readonly isNeeded: boolean
}

/** The best match of expected and actual calls. */
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

/** Needed places come before the others of the same call. More than there are calls of that name are never filled. */
function slotsOf(tests: readonly CallTest[], steps: readonly ToolStep[]): readonly Slot[] {
  const called = new Map<string, number>()
  for (const { name } of steps) called.set(name, (called.get(name) ?? 0) + 1)
  return tests.flatMap(({ name, lowest, highest }, expected) => {
    const length = Math.max(lowest, Math.min(highest, called.get(name) ?? 0))
    return Array.from({ length }, (_, index) => ({ expected, isNeeded: index < lowest }))
  })
}

type Fit = (expected: number, step: number) => boolean

/** Whether a call fits an expected one. Each input is tested once against each expected call. */
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

/** First as many needed places and calls that may not come besides, then as many calls as can be. */
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
