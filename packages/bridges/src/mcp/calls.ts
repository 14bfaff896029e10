import type { Json, JsonObject } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject } from '@jurist/core/internal'
import { toJson, withinText, withoutMiddle } from '../context/to-json.js'
import type { ToolExecution } from '../context/tool-execution.js'
import { inputProblems, inputSchemaOf, type McpAnswer, type McpFixtureOptions, type McpTool } from './tools.js'

/** Includes the part of the trial in which the call was made, such as `turn 2` of a conversation. */
export interface SeenCall extends ToolExecution {
  readonly phase?: string
}

/** The current position in a trial. */
export interface Moment {
  /** The step of the run, from 0. */
  readonly step: number
  readonly phase?: string
}

/** The calls of one trial, and the state that they change. */
export interface Calls<State> {
  /** Runs after all earlier calls. Never rejects. `isCancelled` is called before the tool runs. */
  call(name: string, input: unknown, isCancelled?: () => boolean): Promise<SeenCall>
  /** In the order in which they ran. */
  executions(): readonly SeenCall[]
  state(): State
  /** The first error of a function of the fixture, or the problem of its invalid answer. */
  broken(): JuristError | undefined
  /** Further calls get an error and are not recorded. */
  end(): void
}

type Result = Pick<ToolExecution, 'status' | 'output'>

/** The limit of an input's length; a longer one is shortened. */
const maxKept = 262_144
const maxName = 256

/** @param moment called for each call */
export function callsOver<State>(
  options: McpFixtureOptions<State>,
  initial: State,
  moment: () => Moment = () => ({ step: 0 }),
): Calls<State> {
  const { name: server, maxCalls = 500 } = options
  const executions: SeenCall[] = []
  let ended = false
  const runs = toolRuns(options, initial, () => ended)
  let last: Promise<unknown> = Promise.resolve()

  async function perform(name: string, given: unknown, isCancelled: () => boolean): Promise<SeenCall> {
    const id = `${server}-${executions.length + 1}`
    const kept = { id, name: withoutMiddle(name, maxName), input: withinText(toJson(given), maxKept), ...moment() }
    const refused = (message: string) => Object.freeze({ ...kept, ...failed(message) })
    if (ended) return refused('The trial is over.')
    if (executions.length >= maxCalls) return refused(`The limit of ${maxCalls} calls is reached.`)
    const start = performance.now()
    const result: Result = isCancelled() ? { status: 'unfinished' } : await runs.run(name, given)
    const execution = Object.freeze({ ...kept, ...result, elapsedMs: performance.now() - start })
    // The invocation of a finished trial has been returned.
    if (!ended) executions.push(execution)
    return execution
  }

  return {
    call(name, input, isCancelled = () => false) {
      const done = last.then(() => perform(name, input, isCancelled))
      last = done
      return done
    },
    executions: () => Object.freeze([...executions]),
    state: runs.state,
    broken: runs.broken,
    end() {
      ended = true
    },
  }
}

/** Runs tools one at a time, and keeps the state between them. */
function toolRuns<State>(options: McpFixtureOptions<State>, initial: State, isOver: () => boolean) {
  const { tools, faults = [], maxResultCharacters = 262_144 } = options
  const counts = new Map<string, number>()
  let state = initial
  let broken: JuristError | undefined

  const faultOf = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return faults.find(({ tool, nth = count }) => tool === name && nth === count)
  }

  async function answerOf(name: string, tool: McpTool<State>, input: JsonObject): Promise<Result> {
    try {
      const answer = checkedAnswer<State>(name, await tool.run(input, state))
      if ('result' in answer && JSON.stringify(answer.result).length > maxResultCharacters)
        return failed(`The result has more than ${maxResultCharacters} characters.`)
      if (answer.state !== undefined && !isOver()) state = answer.state
      return 'error' in answer ? failed(answer.error) : { status: 'completed', output: answer.result }
    } catch (thrown) {
      broken ??= toolBroken(name, thrown)
      return failed('The tool is broken.')
    }
  }

  async function run(name: string, given: unknown): Promise<Result> {
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined
    if (tool === undefined) return invalid(`There is no tool of this name. Tools: ${Object.keys(tools).join(', ')}.`)
    const input = inputOf(given)
    const problems =
      input === undefined ? ['the input must be a JSON object'] : inputProblems(inputSchemaOf(tool), input)
    if (input === undefined || problems.length > 0) return invalid(`Invalid input: ${problems.join('; ')}.`)
    const fault = faultOf(name)
    return fault === undefined ? answerOf(name, tool, input) : failed(fault.error)
  }

  return { run, state: () => state, broken: () => broken }
}

const failed = (message: string): Result => ({ status: 'failed', output: message })
const invalid = (message: string): Result => ({ status: 'invalid', output: message })

function inputOf(given: unknown): JsonObject | undefined {
  try {
    const input = frozenJson(given ?? {}, ['input'])
    return isPlainObject(input) ? (input as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** Deeply frozen. Throws for an invalid answer. */
function checkedAnswer<State>(name: string, answer: unknown): McpAnswer<State> {
  const given = isPlainObject(answer) ? answer : {}
  const isError = typeof given['error'] === 'string'
  if (isError === (given['result'] !== undefined))
    throw new TypeError('it must return { result } or { error }, with a new "state" if it changes')
  const state = given['state'] === undefined ? {} : { state: frozenJson(given['state'], [name, 'state']) as State }
  if (isError) return { error: given['error'] as string, ...state }
  return { result: frozenJson(given['result'], [name, 'result']) as Json, ...state }
}

function toolBroken(tool: string, thrown: unknown): JuristError {
  const message = `The function of the tool "${tool}" is broken: ${failureOf(thrown).message}`
  return new JuristError('mcp-tool-broken', message, { tool }, { cause: thrown })
}
