import type { AgentTask, Json, JsonObject } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { isPlainObject, type OptionRule, option } from '@jurist/core/internal'
import '../errors.js'
import { uncheckedIn } from './input.js'

/** What a tool answers: a result, or an error that the agent reads. Without `state`, the state stays as it was. */
export type McpAnswer<State> =
  | { readonly result: Json; readonly state?: State }
  | { readonly error: string; readonly state?: State }

/** One tool of a fixture. */
export interface McpTool<State> {
  /** What the agent reads about the tool. */
  readonly description: string
  /**
   * The JSON Schema of the input: types, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`, and the
   * limits of numbers, lengths and items. Other keywords are refused. Default: an object without properties.
   */
  readonly input?: JsonObject
  /**
   * Answers a call whose input fits the schema. The state is deeply frozen; a change is a new state in the answer. Calls of one
   * trial run one after the other. An exception is a mistake of the fixture and not of the agent: the trial ends as an error.
   */
  readonly run: (input: JsonObject, state: State) => McpAnswer<State> | Promise<McpAnswer<State>>
}

/** A planned failure: the tool is not run, and the agent reads the error. */
export interface McpFault {
  readonly tool: string
  /** Which call of the tool fails, from 1. Default: every call. */
  readonly nth?: number
  /** What the agent reads. */
  readonly error: string
}

/** The options of `mcpFixture`. */
export interface McpFixtureOptions<State> {
  /** The name of the server: a letter, then letters, digits, `_` or `-`, at most 32. */
  readonly name: string
  /** By name: letters, digits, `_` or `-`, at most 64. */
  readonly tools: { readonly [name: string]: McpTool<State> }
  /** The state at the beginning of each trial, as JSON; a function makes it from the task. */
  readonly state: State | ((task: AgentTask) => State)
  /** Planned failures. Default: none. */
  readonly faults?: readonly McpFault[]
  /** The maximum number of calls in one trial; further ones are answered with an error. Default 500. */
  readonly maxCalls?: number
  /** The maximum size of one message of the agent in bytes. Default 1,048,576. */
  readonly maxMessageBytes?: number
  /** The maximum length of one result as JSON. A longer one is an error for the agent, and the state stays. Default 262,144. */
  readonly maxResultCharacters?: number
}

const toolsRule: OptionRule = {
  wants:
    'an object of tools, each with a "description", a function "run" and, if it takes an input, its JSON Schema "input"',
  holds: (value) =>
    isPlainObject(value) && Object.entries(value).every(([name, tool]) => /^[\w-]{1,64}$/.test(name) && isTool(tool)),
}

function isTool(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const { description, input = {}, run, ...others } = value
  const isDescribed = typeof description === 'string' && isPlainObject(input)
  return isDescribed && typeof run === 'function' && Object.keys(others).length === 0
}

const faultsRule: OptionRule = {
  wants: 'an array of faults, each with a "tool", an "error" and, if it is one call only, "nth" (from 1)',
  holds: (value) => Array.isArray(value) && value.every(isFault),
}

function isFault(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const { tool, nth = 1, error, ...others } = value
  const isPlanned = typeof tool === 'string' && typeof error === 'string' && option.integer(1).holds(nth)
  return isPlanned && Object.keys(others).length === 0
}

/** What each option must be. */
export const fixtureRules: { readonly [name in keyof McpFixtureOptions<unknown>]-?: OptionRule } = {
  name: {
    wants: 'a letter, then letters, digits, "_" or "-", at most 32',
    holds: (value) => typeof value === 'string' && /^[A-Za-z][\w-]{0,31}$/.test(value),
  },
  tools: toolsRule,
  state: option.anything,
  faults: faultsRule,
  maxCalls: option.integer(1),
  maxMessageBytes: option.integer(1_024),
  maxResultCharacters: option.integer(1),
}

/** Throws `option-invalid` for a schema that is not checked in full, and for a fault of a tool that does not exist. */
export function checkTools({
  tools,
  faults = [],
}: Pick<Described, 'tools'> & { readonly faults?: readonly McpFault[] }): void {
  for (const [name, { input = {} }] of Object.entries(tools)) {
    const unchecked = uncheckedIn(input)
    if (unchecked === undefined) continue
    const message = `mcpFixture: the input of the tool "${name}" uses ${unchecked}, which is not checked. Leave it out, and check it in the function.`
    throw new JuristError('option-invalid', message, { option: 'tools' })
  }
  const lost = faults.find(({ tool }) => !Object.hasOwn(tools, tool))
  if (lost === undefined) return
  const message = `mcpFixture: a fault names the tool ${JSON.stringify(lost.tool)}, which is not there (tools: ${Object.keys(tools).join(', ')}).`
  throw new JuristError('option-invalid', message, { option: 'faults' })
}

/** A server as its clients see it. */
export interface Described {
  readonly name: string
  readonly tools: { readonly [name: string]: Pick<McpTool<never>, 'description' | 'input'> }
}

const noInput = { properties: {}, additionalProperties: false }

/** The schema that agents see for a tool. */
export function inputSchemaOf({ input = noInput }: { readonly input?: JsonObject }): JsonObject {
  return { type: 'object', ...input }
}
