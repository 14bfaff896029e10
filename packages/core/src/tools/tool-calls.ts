import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { brief } from '../json.js'
import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { abstain, concluded, error, type Judgment } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { checkOptions, described, type OptionDescriptions, option, optionInvalid } from '../options.js'
import { numerical } from '../score.js'
import type { ToolStep } from '../tool-step.js'
import { unjudgeable } from '../unjudgeable.js'
import { type Compared, comparedCalls, type Order } from './compared-calls.js'
import {
  type CallTest,
  callTests,
  type ExpectedCall,
  expectedOfItem,
  expectedSchema,
  type Inputs,
  maxCalls,
} from './expected-call.js'
import {
  byPolicy,
  counts,
  namesOf,
  ofSteps,
  type Results,
  resultsOption,
  type WhenNone,
  whenNoneRule,
} from './known-steps.js'

/** Options of `toolCalls`. */
export interface ToolCallsOptions {
  /**
   * The expected calls. Default: `toolCalls` in the item's metadata; without it the judge abstains. `[]`: no call is
   * expected.
   */
  readonly expected?: readonly ExpectedCall[] | ((context: JudgmentContext) => readonly ExpectedCall[])
  /**
   * The required order. `any` (default): in any order. `in-order`: one after another. `exact`: the same list, with
   * nothing between.
   */
  readonly order?: Order
  /** Whether other calls are allowed: those of the named tools, or of any tool (`allowed`). Default `forbidden`. */
  readonly extra?: 'allowed' | 'forbidden' | readonly string[]
  /**
   * How inputs are compared: `equal` (default), `contains` (objects may have more fields), `ignore`, or by the name of
   * a tool, also with a rule that the input of each of its calls must follow.
   */
  readonly inputs?: Inputs
  /** The tools that count; calls of other tools are left out. Default: all. */
  readonly only?: readonly string[]
  /** `completed`: calls that failed, were denied or have no result do not match an expected call. Default `any`. */
  readonly results?: Results
  /** The judgment when no call is expected and none was made. Default `pass`. */
  readonly whenNone?: WhenNone
}

/**
 * Passes when the agent made the expected tool calls, each the expected number of times, and no other calls unless
 * `extra` allows them. Expected and actual calls are matched as well as possible (`any`: a maximum matching;
 * `in-order`, `exact`: a longest common subsequence), so that a call that fits several expected ones never takes the
 * place of another. The score is F1 of the matched calls; it is 1 exactly when the judge passes. A check for each
 * expected call states the difference from the nearest actual one.
 *
 * Abstains where the calls are not known (metadata `tools-unknown`) and where no calls are specified. An agent that
 * makes more than 1,000 calls fails. The calls are those that a bridge observed, or else those that the agent reports.
 *
 * @throws `option-invalid`, `pattern-invalid`
 *
 * @example
 * import { toolCalls } from '@jurist/core/tools'
 *
 * toolCalls({
 *   expected: [{ name: 'search', input: { city: { matches: '^Lon' } } }, { name: 'book', times: [1, 2] }],
 *   order: 'in-order',
 *   extra: ['think'],
 * })
 */
export function toolCalls(options?: ToolCallsOptions): Judge {
  const given = checkOptions('toolCalls', options, toolCallsOptions)
  const { expected, order = 'any', extra = 'forbidden', inputs = 'equal' } = given
  if (order === 'exact' && extra !== 'forbidden')
    optionInvalid('extra', 'toolCalls: with the order "exact" no other call can be allowed. Use "in-order".')
  if (typeof inputs !== 'string')
    callTests(
      'toolCalls, inputs',
      Object.keys(inputs).map((name) => ({ name })),
      inputs,
    )
  const fixed = Array.isArray(expected) ? callTests('toolCalls', expected, inputs) : undefined
  return ofSteps('toolCalls', given, (steps, context) => {
    if (fixed !== undefined) return judged(fixed, steps, given)
    const wanted = typeof expected === 'function' ? expected(context) : expectedIn(context)
    if (wanted === undefined)
      return abstain(
        'no calls are expected of this item: give the option "expected", or the item the metadata "toolCalls"',
      )
    if (wanted instanceof JuristError) return error(wanted.message, wanted)
    return judged(callTests('toolCalls', wanted, inputs), steps, given)
  })
}

const toolCallsOptions: OptionDescriptions<ToolCallsOptions> = {
  expected: {
    wants: 'an array of expected calls, or a function of the context',
    holds: (value) => Array.isArray(value) || typeof value === 'function',
    schema: expectedSchema,
    description: 'The expected calls. Default: the metadata toolCalls of the item.',
  },
  order: described(option.oneOf('exact', 'in-order', 'any'), 'Whether the order of the calls counts.', 'any'),
  extra: described(
    option.either(option.oneOf('allowed', 'forbidden'), option.strings),
    'Whether other calls are allowed, or the tools whose calls are.',
    'forbidden',
  ),
  inputs: {
    wants: '"equal", "contains", "ignore", or one of them, or a rule, by the name of a tool',
    holds: (value) => option.oneOf('equal', 'contains', 'ignore').holds(value) || option.record.holds(value),
    schema: { anyOf: [{ enum: ['equal', 'contains', 'ignore'] }, { type: 'object' }] },
    description:
      'How inputs are compared, or by the name of a tool, also with a rule such as {contains: {city: Paris}}.',
    default: 'equal',
  },
  only: described(option.strings, 'The tools that count. Default: all.'),
  results: resultsOption,
  whenNone: described(whenNoneRule, 'The judgment where no call is expected and none was made.', 'pass'),
}

describeJudge<ToolCallsOptions>(toolCalls, {
  passes: 'the agent made the expected calls of tools',
  options: toolCallsOptions,
  make: (options) => toolCalls(options),
})

/** A problem of the expected calls is a mistake of the dataset, not of the agent. */
function expectedIn(context: JudgmentContext): unknown {
  try {
    return expectedOfItem(context)
  } catch (thrown) {
    if (JuristError.is(thrown, 'option-invalid')) return thrown
    throw thrown
  }
}

type Tests = ReturnType<typeof callTests>

function judged(tests: Tests, all: readonly ToolStep[], options: ToolCallsOptions): Judgment {
  const { order = 'any', extra = 'forbidden', only, results = 'any', whenNone = 'pass' } = options
  const steps = only === undefined ? all : all.filter(({ name }) => only.includes(name))
  if (steps.length > maxCalls)
    return unjudgeable(`the agent made ${steps.length} calls of tools, above the limit of ${maxCalls}`, {
      code: 'limit-exceeded',
    })
  if (tests.length === 0 && steps.length === 0)
    return byPolicy(whenNone, 'no call of a tool is expected, and none was made')
  const compared = comparedCalls(tests, steps, {
    order,
    isAllowed: ({ name }) => extra === 'allowed' || (extra !== 'forbidden' && extra.includes(name)),
    counts: (step) => counts(step, results),
  })
  const checks: readonly Check[] = callChecks(tests, steps, compared, results)
  const { score, isMatch } = compared
  return concluded(isMatch, wordsOf(tests, compared), {
    score: numerical(score),
    checks,
    metadata: figures(tests, steps, compared),
  })
}

function wordsOf(tests: Tests, { matched, unexpected }: Compared): string {
  const others = unexpected.length === 0 ? [] : [`${unexpected.length} not expected`]
  if (tests.length === 0) return ['no call is expected', ...others].join('; ')
  const made = matched.filter((calls, index) => calls.length >= (tests[index]?.lowest ?? 0)).length
  const expected = `${made} of ${tests.length} expected calls ${tests.length === 1 ? 'was' : 'were'} made`
  return [expected, ...others].join('; ')
}

function figures(tests: Tests, steps: readonly ToolStep[], { matched, unexpected }: Compared) {
  const count = matched.reduce((sum, calls) => sum + calls.length, 0)
  return { expected: tests.length, actual: steps.length, matched: count, unexpected: unexpected.length }
}

const mostChecks = 50
const mostCandidates = 20
const mostDifferences = 5

/** Expected calls come first, then unexpected ones; at most 50 of either, failed ones first. */
function callChecks(
  tests: readonly CallTest[],
  steps: readonly ToolStep[],
  { matched, unexpected }: Compared,
  results: Results,
): readonly Check[] {
  const taken = new Set(matched.flat())
  const isMade = (index: number) => (matched[index]?.length ?? 0) >= (tests[index]?.lowest ?? 0)
  const shown = [...tests.keys()].sort((one, other) => Number(isMade(one)) - Number(isMade(other))).slice(0, mostChecks)
  const expected = shown
    .sort((one, other) => one - other)
    .map((index) => {
      const test = tests[index] as CallTest
      const passed = isMade(index)
      const message = passed ? '' : missingCall(test, matched[index]?.length ?? 0, { steps, taken, results })
      return { name: `expected ${index + 1}: ${test.name}`, passed, message }
    })
  const made = tests.map((test, index) => (isMade(index) ? test : undefined))
  const others = unexpected.slice(0, mostChecks).map((index) => {
    const { name, input, status } = steps[index] as ToolStep
    const how = status === 'completed' ? '' : ` (${status})`
    const shown = name.trim() === '' ? 'a tool without a name' : brief(name).slice(1, -1)
    const message = `call ${index + 1}${how} with ${brief(input)}${whyOther(made, steps[index] as ToolStep)}`
    return { name: `not expected: ${shown}`, passed: false, message }
  })
  return [...expected, ...others]
}

function whyOther(made: readonly (CallTest | undefined)[], { name, input }: ToolStep): string {
  const index = made.findIndex((test) => test?.name === name)
  const problems: string[] = []
  if (index === -1) return ''
  if (made[index]?.fits(input, (problem) => problems.push(problem))) return ''
  return `; in expected ${index + 1} ${problems.slice(0, mostDifferences).join('; ')}`
}

interface Calls {
  readonly steps: readonly ToolStep[]
  /** Indices of the calls that match an expected one. */
  readonly taken: ReadonlySet<number>
  readonly results: Results
}

function missingCall(test: CallTest, made: number, calls: Calls): string {
  const { lowest } = test
  const count = lowest === 1 ? 'was not made' : `was made ${made} of ${lowest} times`
  const nearest = nearestCall(test, calls)
  if (nearest === undefined) return `${count}; the agent called ${namesOf(calls.steps)}`
  return `${count}; the nearest is call ${nearest.index + 1}: ${nearest.problems.slice(0, mostDifferences).join('; ')}`
}

/** Calls that match another expected call come last. */
function nearestCall(
  test: CallTest,
  { steps, taken, results }: Calls,
): { readonly index: number; readonly problems: readonly string[] } | undefined {
  const same = [...steps.keys()].filter((index) => steps[index]?.name === test.name)
  const free = same.filter((index) => !taken.has(index))
  const found = (free.length > 0 ? free : same).slice(0, mostCandidates).map((index) => {
    const step = steps[index] as ToolStep
    const problems: string[] = []
    const fits = test.fits(step.input, (problem) => problems.push(problem))
    if (!counts(step, results)) problems.unshift(`it is ${step.status}`)
    if (fits && problems.length === 0)
      problems.push(taken.has(index) ? 'it matches another expected call' : 'it is out of order')
    return { index, problems }
  })
  return found.sort((one, other) => one.problems.length - other.problems.length)[0]
}
