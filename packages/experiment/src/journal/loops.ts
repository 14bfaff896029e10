import { canonicalJson } from '../dataset/hash.js'
import type { ClassifiedCall } from './tool-calls.js'

/**
 * What a loop is: `failure`: every call in it fails; `friction`: some do; `productive`: none does, and its results change from
 * one round to the next; `degenerate`: none does, and nothing changes.
 */
type LoopKind = 'productive' | 'friction' | 'failure' | 'degenerate'

/** The same block of calls, several times in a row. */
export interface Loop {
  /** The states of the block. */
  readonly pattern: readonly string[]
  /** Index of its first call in the sequence. */
  readonly start: number
  readonly repeats: number
  readonly kind: LoopKind
}

const fewest = 3

/** A block of so many calls and how often it is repeated. */
interface Run {
  readonly start: number
  readonly length: number
  readonly repeats: number
}

/**
 * Blocks of 1 to `loopLength` calls with the same tools and inputs, at least 3 times in a row; the longest first, none
 * overlapping another: of a shorter one that does, what is left counts.
 */
export function loopsOf(steps: readonly ClassifiedCall[], loopLength: number): readonly Loop[] {
  const keys = steps.map(({ call }) => `${call.name}\n${canonicalJson(call.input)}`)
  const waiting: Run[] = []
  for (let length = 1; length <= loopLength; length += 1) waiting.push(...runsOf(keys, length))
  waiting.sort((one, other) => longestFirst(other, one))
  const taken: boolean[] = []
  const loops: Loop[] = []
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
    const { start, length, repeats } = run
    const [free, ...others] = freeParts(run, taken)
    if (free?.repeats === repeats) {
      const end = start + length * repeats
      for (let at = start; at < end; at += 1) taken[at] = true
      const pattern = steps.slice(start, start + length).map(({ state }) => state)
      loops.push({ pattern, start, repeats, kind: kindOf(steps.slice(start, end), length) })
    } else if (free !== undefined) for (const part of [free, ...others]) putBack(part, waiting)
  }
  return loops
}

function longestFirst(one: Run, other: Run): number {
  return other.length * other.repeats - one.length * one.repeats || one.length - other.length || one.start - other.start
}

/** The part of a run that no longer loop has taken, if it is still a loop. */
function freeParts({ start, length, repeats }: Run, taken: readonly boolean[]): readonly Run[] {
  const parts: Run[] = []
  let from = start
  for (let at = start; at <= start + length * repeats; at += 1) {
    if (at < start + length * repeats && taken[at] !== true) continue
    const left = Math.floor((at - from) / length)
    if (left >= fewest) parts.push({ start: from, length, repeats: left })
    from = at + 1
  }
  return parts
}

/** Puts a run among those that wait, of which the last comes next. */
function putBack(run: Run, waiting: Run[]): void {
  const before = waiting.findLastIndex((other) => longestFirst(run, other) < 0)
  waiting.splice(before + 1, 0, run)
}

/** Where a block of so many keys is repeated, and how often: as far as each key equals the one a block before. */
function runsOf(keys: readonly string[], length: number): readonly Run[] {
  const found: Run[] = []
  let start = 0
  for (let at = length; at <= keys.length; at += 1) {
    if (at < keys.length && keys[at] === keys[at - length]) continue
    const repeats = Math.floor((at - start) / length)
    if (repeats >= fewest) found.push({ start, length, repeats })
    start = at - length + 1
  }
  return found
}

function kindOf(steps: readonly ClassifiedCall[], length: number): LoopKind {
  const failures = steps.filter(({ result }) => result?.failed === true).length
  if (failures > 0) return failures === steps.length ? 'failure' : 'friction'
  const changes = steps.slice(length).some(({ result }, at) => result?.content !== steps[at]?.result?.content)
  return changes ? 'productive' : 'degenerate'
}
