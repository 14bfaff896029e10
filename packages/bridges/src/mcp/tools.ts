import type { AgentTask, Json, JsonObject } from '@jurist/core'
import {
  arrayOf,
  isPlainObject,
  type OptionRule,
  objectOf,
  option,
  optionInvalid,
  recordOf,
} from '@jurist/core/internal'
import '../errors.js'

type Schema = JsonObject

/** Each function returns a problem, or nothing. */
const checks: { readonly [keyword: string]: (wanted: unknown, value: unknown) => string | undefined } = {
  type: (wanted, value) =>
    list(wanted).some((type) => isOf(type, value)) ? undefined : `must be ${list(wanted).join(' or ')}`,
  enum: (wanted, value) =>
    list(wanted).some((one) => same(one, value)) ? undefined : `must be one of ${JSON.stringify(wanted)}`,
  const: (wanted, value) => (same(wanted, value) ? undefined : `must be ${JSON.stringify(wanted)}`),
  minimum: (wanted, value) => below(value, wanted, 'must be at least'),
  maximum: (wanted, value) => above(value, wanted, 'must be at most'),
  minLength: (wanted, value) => below(lengthOf(value), wanted, 'must have a length of at least'),
  maxLength: (wanted, value) => above(lengthOf(value), wanted, 'must have a length of at most'),
  minItems: (wanted, value) => below(sizeOf(value), wanted, 'must have a number of items of at least'),
  maxItems: (wanted, value) => above(sizeOf(value), wanted, 'must have a number of items of at most'),
}
const shapes = ['properties', 'required', 'additionalProperties', 'items']
const annotations = ['$schema', 'title', 'description', 'default', 'examples', 'format']
const known: ReadonlySet<string> = new Set([...Object.keys(checks), ...shapes, ...annotations])

/**
 * Returns the first unsupported part of a schema; `undefined` when `inputProblems` checks all of it. An unsupported
 * keyword would accept every input.
 */
export function uncheckedIn(schema: unknown, at = ''): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isPlainObject(schema)) return `${at || 'the schema'}, which is not an object`
  const keyword = Object.keys(schema).find((name) => !known.has(name))
  if (keyword !== undefined) return `"${keyword}"${at === '' ? '' : ` at ${at}`}`
  const { properties = {}, items, additionalProperties } = schema
  const parts = Object.entries(isPlainObject(properties) ? properties : { properties })
  for (const [name, part] of [...parts, ['items', items], ['additionalProperties', additionalProperties]] as const) {
    const found = part === undefined ? undefined : uncheckedIn(part, `${at}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The schema must have been accepted by `uncheckedIn`. Empty when the input fits. */
export function inputProblems(schema: Schema | boolean, value: unknown, at = 'input'): readonly string[] {
  if (typeof schema === 'boolean') return schema ? [] : [`${at} is not known`]
  for (const [keyword, check] of Object.entries(checks)) {
    const problem = Object.hasOwn(schema, keyword) ? check(schema[keyword], value) : undefined
    if (problem !== undefined) return [`${at} ${problem}`]
  }
  if (Array.isArray(value)) {
    const items = (schema['items'] ?? true) as Schema | boolean
    return value.flatMap((entry, index) => inputProblems(items, entry, `${at}[${index}]`))
  }
  return isPlainObject(value) ? fieldProblems(schema, value, at) : []
}

function fieldProblems(schema: Schema, value: { readonly [name: string]: unknown }, at: string): readonly string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema
  const missing = list(required).filter((name) => !Object.hasOwn(value, String(name)))
  const wrong = Object.entries(value).flatMap(([name, part]) => {
    const own = Object.hasOwn(properties as Schema, name) ? (properties as Schema)[name] : additionalProperties
    return inputProblems(own as Schema | boolean, part, `${at}.${name}`)
  })
  return [...missing.map((name) => `${at}.${name} is missing`), ...wrong]
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
const lengthOf = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined)
const sizeOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)

function below(value: unknown, least: unknown, problem: string): string | undefined {
  return typeof value === 'number' && value < Number(least) ? `${problem} ${least}` : undefined
}

function above(value: unknown, most: unknown, problem: string): string | undefined {
  return typeof value === 'number' && value > Number(most) ? `${problem} ${most}` : undefined
}

function isOf(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isPlainObject(value)
    default:
      return typeof value === type
  }
}

/** The answer of a tool: a result, or an error for the agent. Without `state`, the state stays unchanged. */
export type McpAnswer<State> =
  | { readonly result: Json; readonly state?: State }
  | { readonly error: string; readonly state?: State }

/** One tool of a fixture. */
export interface McpTool<State> {
  /** The description for the agent. */
  readonly description: string
  /**
   * The JSON Schema of the input: types, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`,
   * and the limits of numbers, lengths and items. Other keywords are refused. Default: an object without properties.
   */
  readonly input?: JsonObject
  /**
   * Answers a call whose input matches the schema. The state is deeply frozen; to change it, return a new state. Calls
   * of one trial run one after the other. An exception is a bug of the fixture and not a failure of the agent: the
   * trial ends as an error.
   */
  readonly run: (input: JsonObject, state: State) => McpAnswer<State> | Promise<McpAnswer<State>>
}

/** A planned failure: the tool does not run, and the agent gets the error. */
export interface McpFault {
  readonly tool: string
  /** The number of the call that fails, from 1. Default: every call. */
  readonly nth?: number
  /** The error for the agent. */
  readonly error: string
}

/** The options of `mcpFixture`. */
export interface McpFixtureOptions<State> {
  /** The name of the server: a letter, then letters, digits, `_` or `-`, at most 32 characters. */
  readonly name: string
  /** The tools by name. A name has letters, digits, `_` or `-`, at most 64 characters. */
  readonly tools: { readonly [name: string]: McpTool<State> }
  /** The initial state of each trial, as JSON, or a function that creates it from the task. */
  readonly state: State | ((task: AgentTask) => State)
  /** Planned failures. Default: none. */
  readonly faults?: readonly McpFault[]
  /** The maximum number of calls in one trial; further ones get an error. Default 500. */
  readonly maxCalls?: number
  /** The maximum size of one message of the agent in bytes. Default 1,048,576. */
  readonly maxMessageBytes?: number
  /**
   * The maximum length of one result as JSON. A longer one is an error for the agent, and the state stays unchanged.
   * Default 262,144.
   */
  readonly maxResultCharacters?: number
}

const toolsRule = recordOf(
  'an object of tools, each with a "description", a function "run" and, if it takes an input, its JSON Schema "input"',
  objectOf('a tool', { description: option.string, input: option.record, run: option.function }, ['input']),
  /^[\w-]{1,64}$/,
)

const faultsRule = arrayOf(
  'an array of faults, each with a "tool", an "error" and, if it is one call only, "nth" (from 1)',
  objectOf('a fault', { tool: option.string, error: option.string, nth: option.integer(1) }, ['nth']),
)

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

/** Throws `option-invalid` for a schema with unsupported parts, and for a fault of an unknown tool. */
export function checkTools({
  tools,
  faults = [],
}: Pick<Described, 'tools'> & { readonly faults?: readonly McpFault[] }): void {
  for (const [name, { input = {} }] of Object.entries(tools)) {
    const unchecked = uncheckedIn(input)
    if (unchecked === undefined) continue
    const message = `mcpFixture: the input of the tool "${name}" uses ${unchecked}, which is not checked. Leave it out, and check it in the function.`
    optionInvalid('tools', message)
  }
  const lost = faults.find(({ tool }) => !Object.hasOwn(tools, tool))
  if (lost === undefined) return
  const message = `mcpFixture: a fault names the tool ${JSON.stringify(lost.tool)}, which is not there (tools: ${Object.keys(tools).join(', ')}).`
  optionInvalid('faults', message)
}

/** A server as its clients see it. */
export interface Described {
  readonly name: string
  readonly tools: { readonly [name: string]: Pick<McpTool<never>, 'description' | 'input'> }
}

const noInput = { properties: {}, additionalProperties: false }

export function inputSchemaOf({ input = noInput }: { readonly input?: JsonObject }): JsonObject {
  return { type: 'object', ...input }
}
