import type { Failure, Json } from '@jurist/core'
import { groupBy } from '@jurist/kit/group-by'
import { toJson, withinText, withoutMiddle } from './to-json.js'

/** One tool call with its result. */
export interface ToolExecution {
  readonly id: string
  readonly name: string
  readonly kind?: string
  /** The step of the run that made the call, from 0. */
  readonly step: number
  /** The arguments. For the status `invalid`, the unreadable arguments as a string. */
  readonly input: Json
  readonly output?: Json
  readonly status: 'completed' | 'failed' | 'denied' | 'invalid' | 'unfinished'
  readonly failure?: Failure
  /** The files that the tool read or changed. */
  readonly paths?: readonly string[]
  readonly elapsedMs?: number
}

export interface ToolCall {
  /** Without an id, no result can be matched, and the call gets the id `call-<n>`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly kind?: string | undefined
  readonly step?: number | undefined
  /** Any value; it is converted to JSON. */
  readonly input?: unknown
  /** The arguments could not be read, or no tool accepts them. */
  readonly invalid?: boolean | undefined
  /** Why the call is invalid, or what failed before the tool ran. */
  readonly failure?: Failure | undefined
  readonly paths?: readonly string[] | undefined
}

export interface ToolOutcome {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly step?: number | undefined
  /** Any value; it is converted to JSON. */
  readonly output?: unknown
  /** Default `completed`. */
  readonly status?: 'completed' | 'failed' | 'denied' | undefined
  readonly failure?: Failure | undefined
  readonly elapsedMs?: number | undefined
}

/** As JSON. */
const maxCharacters = 262_144
/** The maximum length of a name, an id, a path and a message. */
const maxName = 4_096

/**
 * Matches calls and results by id, in the order of the calls. A call without a result is `unfinished`; a call whose
 * arguments could not be read is `invalid`. A further call with the same id gets the suffix `-2`, `-3`, … and the next
 * result of that id. Results without a call come last, with the input `null` and, if they have no name, `unknown`.
 */
export function joinTools(calls: readonly ToolCall[], outcomes: readonly ToolOutcome[]): readonly ToolExecution[] {
  const waiting = groupBy(outcomes, ({ id }) => id)
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

/** The first of the id, `id-2`, `id-3`, … that is not in use. `taken` contains the last number of each id. */
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

/** Arguments are JSON or already an object. Unreadable arguments stay a string. */
export function readArguments(given: unknown): { readonly input: unknown; readonly invalid: boolean } {
  if (typeof given !== 'string') return { input: given, invalid: false }
  try {
    return { input: JSON.parse(given.trim() === '' ? '{}' : given), invalid: false }
  } catch {
    return { input: given, invalid: true }
  }
}
