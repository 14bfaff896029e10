import type { JudgmentContext } from '../context.js'
import { giveInfo, type Judge } from '../judge.js'
import { abstain, concluded, fail, type Judgment, pass } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { type OptionDescription, type OptionRule, option } from '../options.js'
import type { ToolStep } from '../tool-step.js'

/** A judge of the tool calls. Where they are not known it abstains, with the metadata `tools-unknown`: never a pass or a fail. */
export function ofSteps(
  name: string,
  options: object,
  judge: (steps: readonly ToolStep[], context: JudgmentContext) => ReturnType<Judge>,
): Judge {
  const named: Judge = (context) => {
    const { toolSteps } = context
    return toolSteps === undefined ? toolsUnknown() : judge(toolSteps, context)
  }
  return giveInfo(Object.defineProperty(named, 'name', { value: name }), { options })
}

function toolsUnknown(): Judgment {
  return abstain(
    'the tool calls of the agent are not known: record them with task.record, or return phases with toolUses ([]: none)',
    { metadata: { 'tools-unknown': true } },
  )
}

/** Which calls count: all of them, or only those that completed. */
export type Results = 'any' | 'completed'

/** The option `results`. */
export const resultsOption: OptionDescription = {
  ...option.oneOf('any', 'completed'),
  description: 'Whether calls count that failed, were denied, or have no result.',
  default: 'any',
}

/** Whether a call counts. */
export function counts({ status }: ToolStep, results: Results): boolean {
  return results === 'any' || status === 'completed'
}

/** The option `whenNone`. */
export type WhenNone = 'pass' | 'fail' | 'abstain'

/** The rule of `whenNone`. */
export const whenNoneRule: OptionRule = option.oneOf('pass', 'fail', 'abstain')

/** Names for a message, each once. */
export function namesOf(steps: readonly ToolStep[]): string {
  const names = [...new Set(steps.map(({ name }) => name))]
  const more = names.length > 10 ? `, and ${names.length - 10} more` : ''
  return names.length === 0 ? 'no tool' : `${names.slice(0, 10).join(', ')}${more}`
}

/** A check whose message says why it failed. */
export function checkOf(name: string, passed: boolean, problem: string): Check {
  return { name, passed, message: passed ? '' : problem }
}

/** Passes when every check does; `otherwise` is then its reason. */
export function byChecks(checks: readonly Check[], otherwise: string): Judgment {
  const failed = checks.filter(({ passed }) => !passed)
  const [first] = failed
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : ''
  return concluded(first === undefined, first === undefined ? otherwise : `${first.name}: ${first.message}${more}`, {
    checks,
  })
}

/** The judgment where there is nothing to judge, as declared. */
export function byPolicy(whenNone: WhenNone, reasoning: string): Judgment {
  if (whenNone === 'abstain') return abstain(reasoning)
  return whenNone === 'pass' ? pass(reasoning, { score: 1 }) : fail(reasoning, { score: 0 })
}
