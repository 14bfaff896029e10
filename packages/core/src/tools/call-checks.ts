import type { Check } from '../judgment-record.js'
import type { ToolStep } from '../tool-step.js'
import type { Compared } from './compared-calls.js'
import type { CallTest } from './expected-call.js'
import { brief } from './input-rule.js'
import { counts, namesOf, type Results } from './known-steps.js'

const mostChecks = 50
const mostCandidates = 20
const mostDifferences = 5

/** A check for each expected call, then one for each call that is not expected; at most 50 of either, those that fail first. */
export function callChecks(
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

/** How a call differs from an expected one of its tool that was made; for one that was not, the check of that one says it. */
function whyOther(made: readonly (CallTest | undefined)[], { name, input }: ToolStep): string {
  const index = made.findIndex((test) => test?.name === name)
  const problems: string[] = []
  if (index === -1) return ''
  if (made[index]?.fits(input, (problem) => problems.push(problem))) return ''
  return `; in expected ${index + 1} ${problems.slice(0, mostDifferences).join('; ')}`
}

interface Calls {
  readonly steps: readonly ToolStep[]
  /** Calls that match an expected one. */
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

/** The call of the same tool that differs least; calls that match another expected one come last. */
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
