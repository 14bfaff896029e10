import type { Failure, Json } from '@jurist/core'
import { toJson, withinText, withoutMiddle } from './to-json.js'

/** One use of a tool: the call and its result, joined. */
export interface ToolExecution {
  readonly id: string
  readonly name: string
  readonly kind?: string
  /** The step of the run that called it, from 0. */
  readonly step: number
  /** The arguments; for `invalid` those that could not be read, as text. */
  readonly input: Json
  readonly output?: Json
  readonly status: 'completed' | 'failed' | 'denied' | 'invalid' | 'unfinished'
  readonly failure?: Failure
  /** Files that it touched. */
  readonly paths?: readonly string[]
  readonly elapsedMs?: number
}

/** A call of a tool, as a framework reports it. */
export interface ToolCall {
  /** Without one, no result can be joined; the call is named `call-<n>`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly step?: number | undefined
  /** Live values are fine. */
  readonly input?: unknown
  /** The arguments could not be read, or no tool takes them. */
  readonly invalid?: boolean | undefined
  /** Why it is invalid, or what else went wrong before it ran. */
  readonly failure?: Failure | undefined
  readonly paths?: readonly string[] | undefined
}

/** The result of a tool, as a framework reports it. */
export interface ToolOutcome {
  /** That of the call. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly step?: number | undefined
  /** Live values are fine. */
  readonly output?: unknown
  /** Default `completed`. */
  readonly status?: 'completed' | 'failed' | 'denied' | undefined
  readonly failure?: Failure | undefined
  readonly elapsedMs?: number | undefined
}

/** The most characters of an input or an output, as JSON text. */
const maxCharacters = 262_144
/** The most characters of a name, an id, a path and of a message. */
const maxName = 4_096

/**
 * Calls and results joined by id, in the order of the calls. A call without result is `unfinished`; one whose arguments
 * could not be read is `invalid`; a second call with a taken id gets `-2`, `-3`, … and the next result of that id; a
 * result without a call is kept at the end, its input `null` and its name `unknown` unless it says one.
 *
 * @example
 * joinTools([{ id: 'a', name: 'search', input: {} }], [{ id: 'a', output: 'found' }])
 * // [{ id: 'a', name: 'search', step: 0, input: {}, output: 'found', status: 'completed' }]
 */
export function joinTools(calls: readonly ToolCall[], outcomes: readonly ToolOutcome[]): readonly ToolExecution[] {
  const waiting = byId(outcomes)
  const taken = new Map<string, number>()
  const joined = new Set<ToolOutcome>()
  const called = calls.map((call, index) => {
    const outcome = call.id === undefined ? undefined : waiting.get(call.id)?.shift()
    if (outcome !== undefined) joined.add(outcome)
    return executionOf(freeId(call.id ?? `call-${index + 1}`, taken), call, outcome)
  })
  const left = outcomes.filter((outcome) => !joined.has(outcome))
  const uncalled = left.map((outcome, index) => {
    const { name = 'unknown', step } = outcome
    return executionOf(freeId(outcome.id ?? `result-${index + 1}`, taken), { name, step, input: null }, outcome)
  })
  return Object.freeze([...called, ...uncalled])
}

function byId(outcomes: readonly ToolOutcome[]): ReadonlyMap<string, ToolOutcome[]> {
  const groups = new Map<string, ToolOutcome[]>()
  for (const outcome of outcomes) {
    if (outcome.id === undefined) continue
    const group = groups.get(outcome.id)
    if (group === undefined) groups.set(outcome.id, [outcome])
    else group.push(outcome)
  }
  return groups
}

function executionOf(id: string, call: ToolCall, outcome: ToolOutcome | undefined): ToolExecution {
  const { name, kind, step, input, paths } = call
  const failure = outcome?.failure ?? call.failure
  return Object.freeze({
    id,
    name: withoutMiddle(name ?? outcome?.name ?? 'unknown', maxName),
    ...(kind === undefined ? {} : { kind: withoutMiddle(kind, maxName) }),
    step: step ?? 0,
    input: withinText(toJson(input), maxCharacters),
    ...(outcome?.output === undefined ? {} : { output: withinText(toJson(outcome.output), maxCharacters) }),
    status: statusOf(call, outcome),
    ...(failure === undefined ? {} : { failure: shortFailure(failure) }),
    ...(paths === undefined || paths.length === 0
      ? {}
      : { paths: Object.freeze(paths.map((path) => withoutMiddle(path, maxName))) }),
    ...(outcome?.elapsedMs === undefined ? {} : { elapsedMs: outcome.elapsedMs }),
  })
}

function shortFailure(failure: Failure): Failure {
  return Object.freeze({ ...failure, message: withoutMiddle(failure.message, maxName) })
}

function statusOf(call: ToolCall, outcome: ToolOutcome | undefined): ToolExecution['status'] {
  if (call.invalid === true) return 'invalid'
  return outcome === undefined ? 'unfinished' : (outcome.status ?? 'completed')
}

/** The id, or the first of `id-2`, `id-3`, … that no other execution has. `taken` knows the last number of each id. */
function freeId(id: string, taken: Map<string, number>): string {
  const short = withoutMiddle(id, maxName)
  let number = taken.get(short) ?? 0
  let free = short
  do {
    number += 1
    free = number === 1 ? short : `${short}-${number}`
  } while (number > 1 && taken.has(free))
  taken.set(short, number)
  if (free !== short) taken.set(free, 1)
  return free
}

/** Arguments as a model writes them: JSON text, or already an object. What cannot be read stays the text. */
export function readArguments(given: unknown): { readonly input: unknown; readonly invalid: boolean } {
  if (typeof given !== 'string') return { input: given, invalid: false }
  try {
    return { input: JSON.parse(given.trim() === '' ? '{}' : given), invalid: false }
  } catch {
    return { input: given, invalid: true }
  }
}
