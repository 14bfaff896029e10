import type { JournalEvent } from '@jurist/core'
import { checkOptions, option, type ToolCallEvent } from '@jurist/core/internal'
import { canonicalJson } from '../dataset/hash.js'
import { type ClassifiedCall, classifiedCalls, type RedundantRead, redundantReadsOf, toolState } from './tool-calls.js'

/** How a trajectory is read from events. */
export interface TrajectoryOptions {
  /** The state of a tool call. Default: by the tool's name and input, see `toolState` in the guide. */
  readonly classify?: (event: ToolCallEvent) => string
  /** The most calls in a block that counts as a loop. Default 4. */
  readonly loopLength?: number
}

/** The actions of an agent as a path through states. */
export interface Trajectory {
  /** Model calls and tool calls. */
  readonly steps: number
  /** The states that occur, sorted: rows and columns of `transitions`. */
  readonly states: readonly string[]
  /** The states of the tool calls in order. */
  readonly sequence: readonly string[]
  readonly counts: Readonly<Record<string, number>>
  /** How often the state of the row was followed by that of the column. */
  readonly transitions: readonly (readonly number[])[]
  readonly toolCalls: number
  /** Tool results that failed. */
  readonly toolErrors: number
  readonly loops: readonly Loop[]
  readonly redundantReads: readonly RedundantRead[]
  /** A test or run that failed, then a write, then a test or run again. */
  readonly fixCycles: number
  /** Index in `sequence`: earlier actions are orientation. */
  readonly firstWriteAt: number | null
  /** Index of the first `test` in `sequence`. */
  readonly firstVerificationAt: number | null
}

/**
 * The actions of an agent, from the events of its journal: states and transitions, loops, redundant reads, how often it
 * repaired its own mistakes. Only actions count, never thoughts.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { readJournal, trajectory } from '@jurist/experiment/journal'
 *
 * const { events } = await readJournal('results/sums/20261121T091500123Z-4kq7rm/journal/one--1.jsonl')
 * const { loops, redundantReads, fixCycles } = trajectory(events)
 */
export function trajectory(events: readonly JournalEvent[], options?: TrajectoryOptions): Trajectory {
  const { classify = toolState, loopLength = 4 } = checkOptions('trajectory', options, {
    classify: option.function,
    loopLength: option.integer(1),
  })
  const steps = classifiedCalls(events, classify)
  const sequence = steps.map(({ state }) => state)
  const states = [...new Set(sequence)].sort()
  return {
    steps: events.filter(({ type }) => type === 'model-call' || type === 'tool-call').length,
    states,
    sequence,
    counts: Object.fromEntries(states.map((state) => [state, sequence.filter((one) => one === state).length])),
    transitions: transitionsOf(sequence, states),
    toolCalls: steps.length,
    toolErrors: events.filter((event) => event.type === 'tool-result' && event.failed).length,
    loops: loopsOf(steps, loopLength),
    redundantReads: redundantReadsOf(steps),
    fixCycles: fixCyclesOf(steps),
    firstWriteAt: indexOf(sequence, 'write'),
    firstVerificationAt: indexOf(sequence, 'test'),
  }
}

function transitionsOf(sequence: readonly string[], states: readonly string[]): readonly (readonly number[])[] {
  const at = new Map(states.map((state, index) => [state, index]))
  const counts = states.map(() => states.map(() => 0))
  sequence.forEach((state, index) => {
    const next = sequence[index + 1]
    const row = counts[at.get(state) ?? -1]
    const column = next === undefined ? undefined : at.get(next)
    if (row !== undefined && column !== undefined) row[column] = (row[column] ?? 0) + 1
  })
  return counts
}

function indexOf(sequence: readonly string[], state: string): number | null {
  const index = sequence.indexOf(state)
  return index < 0 ? null : index
}

/** How often a test or a run that failed was followed by at least one write and then a test or a run again. */
function fixCyclesOf(steps: readonly ClassifiedCall[]): number {
  let cycles = 0
  let failed = false
  let wrote = false
  for (const { state, result } of steps) {
    if (state === 'write') wrote = true
    if (state !== 'test' && state !== 'run') continue
    if (failed && wrote) cycles += 1
    failed = result?.failed === true
    wrote = false
  }
  return cycles
}

/**
 * The kind of a loop. `failure`: every call in it fails; `friction`: some do; `productive`: none does, and results change
 * from one round to the next; `degenerate`: none does, and nothing changes.
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

/** A block of `length` calls and how often it is repeated. */
interface Run {
  readonly start: number
  readonly length: number
  readonly repeats: number
}

/**
 * Blocks of 1 to `loopLength` calls with the same tools and inputs, at least 3 times in a row, the longest first. Loops
 * do not overlap: of a shorter one only the part outside longer ones counts.
 */
function loopsOf(steps: readonly ClassifiedCall[], loopLength: number): readonly Loop[] {
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

/** Adds a run to those that wait; the last comes next. */
function putBack(run: Run, waiting: Run[]): void {
  const before = waiting.findLastIndex((other) => longestFirst(run, other) < 0)
  waiting.splice(before + 1, 0, run)
}

/** Where a block of `length` keys is repeated, and how often: as far as each key equals the one a block before. */
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
