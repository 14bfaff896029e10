import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { isPlainObject, type JsonObject } from '../json.js'
import {
  arrayOf,
  checkRequired,
  described,
  nonBlank,
  type OptionDescription,
  type OptionRule,
  objectOf,
  option,
  optionInvalid,
} from '../options.js'
import { type ExpectedInput, type InputMode, type InputTest, inputTest } from './input-rule.js'

/** An expected tool call. */
export interface ExpectedCall {
  readonly name: string
  /** Default: any input. */
  readonly input?: ExpectedInput
  /** The number of calls, or the lowest and the highest number. Default 1. */
  readonly times?: number | readonly [lowest: number, highest: number]
  /** Whether the call may be missing. Default `false`. */
  readonly optional?: boolean
}

/** The limit of expected and of actual calls. */
export const maxCalls = 1_000

/**
 * How inputs are compared: one mode for all tools, or for each tool by name a mode, fields, or a rule that the input of
 * each of its calls must follow. Other tools use `equal`.
 */
export type Inputs = InputMode | { readonly [tool: string]: InputMode | ExpectedInput }

export interface CallTest {
  readonly name: string
  readonly lowest: number
  readonly highest: number
  readonly fits: InputTest
}

const times: OptionRule = {
  wants: `an integer from 0 to ${maxCalls}`,
  holds: (value) => option.integer(0).holds(value) && (value as number) <= maxCalls,
  schema: { type: 'integer', minimum: 0, maximum: maxCalls },
}
const bounds = arrayOf('[lowest, highest]', times, 2)
const timesRule = option.either(times, {
  ...bounds,
  holds: (value) => bounds.holds(value) && isRange(value as readonly number[]),
  schema: { ...bounds.schema, maxItems: 2 },
})

function isRange([lowest = 0, highest = 0, ...more]: readonly number[]): boolean {
  return lowest <= highest && more.length === 0
}

const rules: { readonly [name in keyof Required<ExpectedCall>]: OptionDescription } = {
  name: described(nonBlank, 'The name of the tool.'),
  input: described(
    { ...option.anything, schema: { type: ['object', 'array', 'string', 'number', 'boolean', 'null'] } },
    'The input, with rules such as {contains: …}, {matches: …}, {oneOf: […]} and {close: 3, within: 1} at any place. Default: any.',
  ),
  times: described(
    { ...timesRule, wants: `a number from 0 to ${maxCalls}, or [lowest, highest]` },
    'How often, or [lowest, highest].',
    1,
  ),
  optional: described(option.boolean, 'Whether it may be missing.', false),
}

export const expectedSchema: JsonObject = {
  type: 'array',
  maxItems: maxCalls,
  items: objectOf('a call', rules, ['input', 'times', 'optional']).schema ?? {},
}

/** @throws `option-invalid`, `pattern-invalid` */
export function callTests(where: string, expected: unknown, inputs: Inputs): readonly CallTest[] {
  if (!Array.isArray(expected))
    return optionInvalid('expected', `${where}: the expected calls must be an array of { name, … }.`)
  const tests = expected.map((call: ExpectedCall, index) =>
    callTest(`${where}, expected call ${index + 1}`, call, inputs),
  )
  const fewest = tests.reduce((sum, { lowest }) => sum + lowest, 0)
  if (fewest > maxCalls || tests.length > maxCalls)
    return optionInvalid(
      'expected',
      `${where}: ${Math.max(fewest, tests.length)} calls are expected, at most ${maxCalls} can be.`,
    )
  return tests
}

function callTest(where: string, given: ExpectedCall, inputs: Inputs): CallTest {
  if (!isPlainObject(given)) return optionInvalid('expected', `${where}: must be { name, input, times, optional }.`)
  const { name, input, times = 1, optional = false } = checkRequired<ExpectedCall>(where, given, rules, ['name'])
  const [lowest, highest] = typeof times === 'number' ? [times, times] : times
  const way = typeof inputs === 'string' ? inputs : Object.hasOwn(inputs, name) ? inputs[name] : 'equal'
  const own = inputTest(where, input, typeof way === 'string' ? (way as InputMode) : 'equal')
  const all = typeof way === 'string' ? undefined : inputTest(where, way, 'contains')
  const fits: InputTest =
    all === undefined ? own : (found, report, path) => all(found, report, path) && own(found, report, path)
  return { name, lowest: optional ? 0 : lowest, highest, fits }
}

/** Reads the metadata `toolCalls`: an array, or a string of JSON, as in a CSV file. `undefined` without any. */
export function expectedOfItem({ metadata }: JudgmentContext): unknown {
  const { toolCalls } = metadata
  if (typeof toolCalls !== 'string') return toolCalls ?? undefined
  try {
    return toolCalls.trim() === '' ? undefined : JSON.parse(toolCalls)
  } catch (cause) {
    const problem = 'toolCalls: the metadata "toolCalls" of the item is not JSON. Correct the dataset.'
    throw new JuristError('option-invalid', problem, { option: 'toolCalls' }, { cause })
  }
}
