import type { JournalEvent } from './journal-event.js'
import { isPlainObject, type Json } from './json.js'
import { arrayOf, type FieldRules, hasFields, type OptionRule, option } from './options.js'

const statuses = ['completed', 'failed', 'denied', 'invalid', 'unfinished'] as const

/** One call of a tool by the agent, with its result. */
export interface ToolStep {
  readonly name: string
  /** The arguments. For the status `invalid`, the unreadable arguments as a string. */
  readonly input: Json
  /** Absent: the tool returned nothing, or its result is not known. */
  readonly output?: Json
  /**
   * `denied`: the call was not allowed. `invalid`: its arguments could not be parsed. `unfinished`: no result is known.
   */
  readonly status: (typeof statuses)[number]
  /** The step of the run that made the call, from 0. Calls with the same number were made together. */
  readonly turn: number
}

function isToolStep(value: unknown): value is ToolStep {
  return hasFields(value, fields)
}

const fields: FieldRules = {
  name: option.string,
  input: option.anything,
  status: option.oneOf(...statuses),
  turn: option.integer(0),
}

export const toolStepsRule: OptionRule = arrayOf('an array of tool steps', { holds: isToolStep })

/** `executions` is the fact `toolExecutions` of a bridge. `undefined` where a member has another form. */
export function stepsOfExecutions(executions: unknown): readonly ToolStep[] | undefined {
  if (!Array.isArray(executions)) return undefined
  const steps = executions.map((execution: unknown) => {
    if (!isPlainObject(execution)) return undefined
    const { name, input, output, status, step } = execution as { readonly [field: string]: Json }
    return Object.freeze({ name, input, ...(output === undefined ? {} : { output }), status, turn: step })
  })
  return steps.every(isToolStep) ? Object.freeze(steps) : undefined
}

export type ToolCallEvent = Extract<JournalEvent, { readonly type: 'tool-call' }>
export type ToolResultEvent = Extract<JournalEvent, { readonly type: 'tool-result' }>

export interface PairedCall {
  readonly call: ToolCallEvent
  /** `null`: no result was recorded. */
  readonly result: ToolResultEvent | null
  /** The number of the model call before it, from 0. Also 0 where no model call was recorded. */
  readonly turn: number
}

/** Calls without a result yet, by id. A result belongs to the first call with its id that has none. */
export function waitingCalls<Call>(): {
  readonly add: (id: string, call: Call) => void
  readonly take: (id: string) => Call | undefined
} {
  const waiting = new Map<string, Call[]>()
  return {
    add(id, call) {
      const same = waiting.get(id)
      if (same === undefined) waiting.set(id, [call])
      else same.push(call)
    },
    take: (id) => waiting.get(id)?.shift(),
  }
}

export function pairedCalls(events: readonly JournalEvent[]): readonly PairedCall[] {
  type Waiting = { call: ToolCallEvent; result: ToolResultEvent | null; turn: number }
  const pairs: Waiting[] = []
  const waiting = waitingCalls<Waiting>()
  let modelCalls = 0
  for (const event of events) {
    if (event.type === 'model-call') modelCalls += 1
    if (event.type === 'tool-call') {
      const pair: Waiting = { call: event, result: null, turn: Math.max(0, modelCalls - 1) }
      pairs.push(pair)
      waiting.add(event.id, pair)
    } else if (event.type === 'tool-result') {
      const pair = waiting.take(event.id)
      if (pair !== undefined) pair.result = event
    }
  }
  return pairs
}

/** `undefined` when the agent recorded no tool events: its calls are then not known. */
export function stepsOfEvents(events: readonly JournalEvent[]): readonly ToolStep[] | undefined {
  if (!events.some(({ type }) => type === 'tool-call' || type === 'tool-result')) return undefined
  return Object.freeze(
    pairedCalls(events).map(({ call, result, turn }) =>
      Object.freeze({
        name: typeof call.name === 'string' ? call.name : 'unknown',
        input: argumentsOf(call.input),
        ...(typeof result?.content === 'string' ? { output: result.content } : {}),
        status: result === null ? 'unfinished' : result.failed === true ? 'failed' : 'completed',
        turn,
      }),
    ),
  )
}

/** Some agents pass the arguments of a function as a string of JSON. */
export function argumentsOf(input: Json | undefined): Json {
  if (typeof input !== 'string' || !/^\s*[{[]/.test(input)) return input ?? null
  try {
    return JSON.parse(input) as Json
  } catch {
    return input
  }
}
