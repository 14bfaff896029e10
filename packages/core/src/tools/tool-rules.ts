import { brief, canonicalJson } from '../json.js'
import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { concluded } from '../judgment.js'
import {
  checkOptions,
  checkRequired,
  described,
  nonBlank,
  type OptionDescription,
  type OptionDescriptions,
  option,
  optionInvalid,
  recordOf,
} from '../options.js'
import type { ToolStep } from '../tool-step.js'
import {
  byChecks,
  byPolicy,
  checkOf,
  counts,
  namesOf,
  ofSteps,
  type Results,
  resultsOption,
  type WhenNone,
  whenNoneRule,
} from './known-steps.js'

/** Options of `toolsUsed`. */
export interface ToolsUsedRule {
  /** Tools that must each have been called. */
  readonly all?: readonly string[]
  /** Tools of which at least one must have been called. */
  readonly any?: readonly string[]
  /** Tools that must not have been called. */
  readonly none?: readonly string[]
  /** The highest number of calls of each tool, by name. */
  readonly atMost?: { readonly [tool: string]: number }
  /** Default `any`: a call that was denied, or failed, counts too. */
  readonly results?: Results
}

const toolsUsedOptions: OptionDescriptions<ToolsUsedRule> = {
  all: described(option.strings, 'Tools that must all be called.'),
  any: described(option.strings, 'Tools, one of which must be called.'),
  none: described(option.strings, 'Tools that must not be called.'),
  atMost: {
    ...recordOf('an object with a number of at least 0 for each tool', option.integer(0)),
    description: 'The maximum number of calls of a tool, by its name.',
  },
  results: resultsOption,
}

/**
 * Passes when the agent's tool calls follow the rule. Each part of the rule is a check. Abstains where the calls are
 * not known.
 *
 * @throws `option-invalid`, also for a rule without a part
 *
 * @example
 * import { toolsUsed } from '@jurist/core/tools'
 *
 * toolsUsed({ all: ['search'], none: ['delete_account'], atMost: { search: 3 } })
 */
export function toolsUsed(rule: ToolsUsedRule): Judge {
  const given = checkOptions('toolsUsed', rule, toolsUsedOptions)
  const { all = [], any, none = [], atMost = {}, results = 'any' } = given
  if (all.length + none.length + Object.keys(atMost).length === 0 && any === undefined)
    optionInvalid('rule', 'toolsUsed: give at least one of "all", "any", "none" and "atMost".')
  return ofSteps('toolsUsed', given, (steps) => {
    const made = steps.filter((step) => counts(step, results))
    const count = (name: string) => made.filter((step) => step.name === name).length
    const called = `the agent called ${namesOf(made)}`
    const checks = [
      ...all.map((name) => checkOf(`calls ${name}`, count(name) > 0, called)),
      ...(any === undefined
        ? []
        : [
            checkOf(
              `calls one of ${any.join(', ')}`,
              any.some((name) => count(name) > 0),
              called,
            ),
          ]),
      ...none.map((name) => checkOf(`does not call ${name}`, count(name) === 0, timesOf(count(name)))),
      ...Object.entries(atMost).map(([name, most]) =>
        checkOf(`calls ${name} at most ${most} times`, count(name) <= most, timesOf(count(name))),
      ),
    ]
    return byChecks(checks, called)
  })
}

function timesOf(count: number): string {
  return `it was called ${count === 1 ? 'once' : `${count} times`}`
}

describeJudge<ToolsUsedRule>(toolsUsed, {
  passes: 'the agent used the tools as the rule says',
  options: toolsUsedOptions,
  make: (rule) => toolsUsed(rule),
})

/** Options of `toolOrder`. */
export interface ToolOrderOptions {
  /** `completed`: a call that failed or was denied does not count as the earlier one. Default `any`. */
  readonly results?: Results
  /** The judgment when `after` was not called. Default `pass`. */
  readonly whenNone?: WhenNone
}

const orderOptions: OptionDescriptions<ToolOrderOptions> = {
  results: {
    ...resultsOption,
    description: 'Whether an earlier call counts that failed, was denied, or has no result.',
  },
  whenNone: described(whenNoneRule, 'The judgment where the later tool was not called.', 'pass'),
}

/**
 * Passes when no call of the tool `after` comes before the first call of the tool `before`, as in "read, then write". Abstains
 * where the calls are not known.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { toolOrder } from '@jurist/core/tools'
 *
 * toolOrder('ask_user', 'delete_account', { results: 'completed' })
 */
export function toolOrder(before: string, after: string, options?: ToolOrderOptions): Judge {
  checkRequired('toolOrder', { before, after }, namesOptions, ['before', 'after'])
  const given = checkOptions('toolOrder', options, orderOptions)
  const { results = 'any', whenNone = 'pass' } = given
  return ofSteps('toolOrder', { before, after, ...given }, (steps) => {
    const first = steps.findIndex((step) => step.name === before && counts(step, results))
    const early = steps.findIndex(({ name }) => name === after)
    if (early === -1) return byPolicy(whenNone, `${after} was not called`)
    const holds = first !== -1 && first < early
    const earlier = first === -1 ? `${before} was not called` : `${before} is call ${first + 1}`
    return byChecks(
      [checkOf(`${before} before ${after}`, holds, `${after} is call ${early + 1}, and ${earlier}`)],
      earlier,
    )
  })
}

const toolName: OptionDescription = {
  ...nonBlank,
  wants: 'the name of a tool',
  description: 'The tool that must be called first.',
}
const namesOptions = { before: toolName, after: { ...toolName, description: 'The tool that must be called later.' } }

describeJudge<ToolOrderOptions & { readonly before: string; readonly after: string }>(toolOrder, {
  passes: 'one tool was called before another',
  options: { ...namesOptions, ...orderOptions },
  required: ['before', 'after'],
  make: ({ before, after, ...options }) => toolOrder(before, after, options),
})

const repeatOptions: OptionDescriptions<{ readonly atMost?: number }> = {
  atMost: described(option.integer(1), 'How often the same call may be made.', 1),
}

/**
 * Passes when no call is made more often than `atMost` times, default 1, with the same tool and the same input.
 * Abstains where the calls are not known.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { noRepeats } from '@jurist/core/tools'
 *
 * noRepeats({ atMost: 2 })
 */
export function noRepeats(options?: { readonly atMost?: number }): Judge {
  const { atMost = 1 } = checkOptions('noRepeats', options, repeatOptions)
  return ofSteps('noRepeats', options ?? {}, (steps) => {
    const made = new Map<string, ToolStep[]>()
    for (const step of steps) {
      const call = canonicalJson([step.name, step.input])
      const same = made.get(call)
      if (same === undefined) made.set(call, [step])
      else same.push(step)
    }
    const repeated = [...made.values()].filter(({ length }) => length > atMost).slice(0, 20)
    const checks = repeated.flatMap(([step, ...again]) =>
      step === undefined
        ? []
        : [
            checkOf(
              'repeated call',
              false,
              `${brief(step.name)} with ${brief(step.input)} was made ${again.length + 1} times`,
            ),
          ],
    )
    return byChecks(checks, `no call was made more than ${atMost} ${atMost === 1 ? 'time' : 'times'}`)
  })
}

describeJudge<{ readonly atMost?: number }>(noRepeats, {
  passes: 'no call of a tool is made again with the same input',
  options: repeatOptions,
  make: (options) => noRepeats(options),
})

const failureOptions: OptionDescriptions<{ readonly atMost: number }> = {
  atMost: described(option.integer(0), 'The maximum number of calls that may fail.'),
}

/**
 * Passes when at most `atMost` calls failed, were denied or had arguments that could not be read. A call without a result does
 * not count. Abstains where the calls are not known.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { toolFailures } from '@jurist/core/tools'
 *
 * toolFailures({ atMost: 0 })
 */
export function toolFailures(options: { readonly atMost: number }): Judge {
  const { atMost } = checkRequired('toolFailures', options, failureOptions, ['atMost'])
  return ofSteps('toolFailures', { atMost }, (steps) => {
    const failed = steps.filter(({ status }) => status !== 'completed' && status !== 'unfinished')
    const words = `${failed.length} of ${steps.length} calls failed, ${atMost} may`
    const checks = failed.slice(0, 20).map(({ name, status, output }) => {
      return checkOf(
        `${status} call`,
        false,
        `${brief(name).slice(1, -1)}${output === undefined ? '' : `: ${brief(output)}`}`,
      )
    })
    return concluded(failed.length <= atMost, words, { checks })
  })
}

describeJudge<{ readonly atMost: number }>(toolFailures, {
  passes: 'at most a number of tool calls failed',
  options: failureOptions,
  required: ['atMost'],
  make: (options) => toolFailures(options),
})
