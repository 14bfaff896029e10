import { nonBlank, recordOf } from '../field-rules.js'
import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import {
  checkOptions,
  checkRequired,
  described,
  type OptionDescription,
  type OptionDescriptions,
  option,
  optionInvalid,
} from '../options.js'
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
