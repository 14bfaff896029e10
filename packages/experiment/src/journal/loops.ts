import type { ToolStep } from './tool-steps.js'

/**
 * What a loop is: `failure`: every call in it fails; `friction`: some do; `productive`: none does, and its results change from
 * one round to the next; `degenerate`: none does, and nothing changes.
 */
export type LoopKind = 'productive' | 'friction' | 'failure' | 'degenerate'

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

/**
 * Blocks of 1 to `loopLength` calls with the same tools and inputs, at least 3 times in a row; the longest first, none
 * overlapping another.
 */
export function loopsOf(steps: readonly ToolStep[], loopLength: number): readonly Loop[] {
  const keys = steps.map(({ call }) => `${call.name}\n${JSON.stringify(call.input)}`)
  const found: { readonly start: number; readonly length: number; readonly repeats: number }[] = []
  for (let length = 1; length <= loopLength; length += 1) found.push(...runsOf(keys, length))
  const longestFirst = found.toSorted(
    (one, other) =>
      other.length * other.repeats - one.length * one.repeats || one.length - other.length || one.start - other.start,
  )
  const taken: boolean[] = []
  return longestFirst.flatMap(({ start, length, repeats }) => {
    const end = start + length * repeats
    if (taken.slice(start, end).some(Boolean)) return []
    for (let at = start; at < end; at += 1) taken[at] = true
    const pattern = steps.slice(start, start + length).map(({ state }) => state)
    return [{ pattern, start, repeats, kind: kindOf(steps.slice(start, end), length) }]
  })
}

/** Where a block of so many keys is repeated, and how often: as far as each key equals the one a block before. */
function runsOf(keys: readonly string[], length: number) {
  const found: { start: number; length: number; repeats: number }[] = []
  let start = 0
  for (let at = length; at <= keys.length; at += 1) {
    if (at < keys.length && keys[at] === keys[at - length]) continue
    const repeats = Math.floor((at - start) / length)
    if (repeats >= fewest) found.push({ start, length, repeats })
    start = at - length + 1
  }
  return found
}

function kindOf(steps: readonly ToolStep[], length: number): LoopKind {
  const failures = steps.filter(({ result }) => result?.failed === true).length
  if (failures > 0) return failures === steps.length ? 'failure' : 'friction'
  const changes = steps.slice(length).some(({ result }, at) => result?.content !== steps[at]?.result?.content)
  return changes ? 'productive' : 'degenerate'
}
