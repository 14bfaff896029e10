import type { JournalEvent } from '@jurist/core'
import { checkOptions, option, type ToolCallEvent } from '@jurist/core/internal'
import { type Loop, loopsOf } from './loops.js'
import { type ClassifiedCall, classifiedCalls, type RedundantRead, redundantReadsOf, toolState } from './tool-calls.js'

/** How a trajectory is read from events. */
export interface TrajectoryOptions {
  /** The state of a tool call. Default: by the tool's name and input, see `toolState` in the guide. */
  readonly classify?: (event: ToolCallEvent) => string
  /** The most calls in a block that counts as a loop. Default 4. */
  readonly loopLength?: number
}

/** What an agent did, as a way through states. */
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
  /** Index in `sequence`: what comes before is orientation. */
  readonly firstWriteAt: number | null
  /** Index of the first `test` in `sequence`. */
  readonly firstVerificationAt: number | null
}

/**
 * What an agent did, from the events of its journal: states and transitions, loops, redundant reads, how often it mended what
 * it broke. Only what it did counts, never what it thought.
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
