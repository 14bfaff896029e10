import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { isPlainObject, type JsonObject } from '../json.js'
import { checkRequired, type OptionRule, option, optionInvalid } from '../options.js'
import { type ExpectedInput, type InputMode, type InputTest, inputTest } from './input-rule.js'

/** A call that is expected. */
export interface ExpectedCall {
  readonly name: string
  /** Default: any input. */
  readonly input?: ExpectedInput
  /** How often: a number, or the lowest and the highest one. Default 1. */
  readonly times?: number | readonly [lowest: number, highest: number]
  /** Whether it may be missing. Default `false`. */
  readonly optional?: boolean
}

/** The most calls on either side. */
export const maxCalls = 1_000

/**
 * How inputs are compared: of all tools, or by the name of a tool; there it may also be fields or a rule that the input of each
 * of its calls must follow. Tools that are not named compare as `equal`.
 */
export type Inputs = InputMode | { readonly [tool: string]: InputMode | ExpectedInput }

/** An expected call, ready to be compared. */
export interface CallTest {
  readonly name: string
  readonly lowest: number
  readonly highest: number
  readonly fits: InputTest
}

const isTimes = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= maxCalls

const rules: { readonly [name in keyof Required<ExpectedCall>]: OptionRule } = {
  name: { wants: 'a string that is not blank', holds: (value) => typeof value === 'string' && value.trim() !== '' },
  input: option.anything,
  times: {
    wants: `a number from 0 to ${maxCalls}, or [lowest, highest]`,
    holds: (value) =>
      isTimes(value) ||
      (Array.isArray(value) &&
        value.length === 2 &&
        value.every(isTimes) &&
        (value[0] as number) <= (value[1] as number)),
  },
  optional: option.boolean,
}

/** The JSON Schema of expected calls, for configs. */
export const expectedSchema: JsonObject = {
  type: 'array',
  maxItems: maxCalls,
  items: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'The name of the tool.' },
      input: {
        type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
        description:
          'The input, with rules such as {contains: …}, {matches: …}, {oneOf: […]} and {close: 3, within: 1} at any place. Default: any.',
      },
      times: {
        anyOf: [
          { type: 'integer', minimum: 0, maximum: maxCalls },
          { type: 'array', items: { type: 'integer', minimum: 0, maximum: maxCalls }, minItems: 2, maxItems: 2 },
        ],
        description: 'How often, or [lowest, highest].',
        default: 1,
      },
      optional: { type: 'boolean', description: 'Whether it may be missing.', default: false },
    },
    required: ['name'],
    additionalProperties: false,
  },
}

/**
 * Expected calls, checked.
 *
 * @throws `option-invalid`, `pattern-invalid`
 */
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

/**
 * The calls that the item expects, its metadata `toolCalls`: an array, or its JSON as text, as a CSV file has it.
 * `undefined`: it has none.
 */
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
