import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { concluded } from '../judgment.js'
import { checkOptions, checkRequired, described, type OptionDescriptions, option } from '../options.js'
import type { ToolStep } from '../tool-step.js'
import { brief } from './input-rule.js'
import { byChecks, checkOf, ofSteps } from './known-steps.js'

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
      const call = JSON.stringify([step.name, sorted(step.input)])
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

/** Sorts keys, so that equal inputs have equal JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  )
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
