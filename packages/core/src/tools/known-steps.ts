import type { JudgmentContext } from '../context.js'
import { giveInfo, type Judge } from '../judge.js'
import { abstain, concluded, fail, type Judgment, pass } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { type OptionDescription, type OptionRule, option } from '../options.js'
import type { ToolStep } from '../tool-step.js'

/**
 * Abstains with the metadata `tools-unknown` where the tool calls are not known: that must never be a pass or a fail.
 */
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

/** The calls that count: all of them, or only completed ones. */
export type Results = 'any' | 'completed'

export const resultsOption: OptionDescription = {
  ...option.oneOf('any', 'completed'),
  description: 'Whether calls count that failed, were denied, or have no result.',
  default: 'any',
}

export function counts({ status }: ToolStep, results: Results): boolean {
  return results === 'any' || status === 'completed'
}

/** The judgment when there is nothing to judge. */
export type WhenNone = 'pass' | 'fail' | 'abstain'

export const whenNoneRule: OptionRule = option.oneOf('pass', 'fail', 'abstain')

export function namesOf(steps: readonly ToolStep[]): string {
  const names = [...new Set(steps.map(({ name }) => name))]
  const more = names.length > 10 ? `, and ${names.length - 10} more` : ''
  return names.length === 0 ? 'no tool' : `${names.slice(0, 10).join(', ')}${more}`
}

/** The message of a passed check is empty. */
export function checkOf(name: string, passed: boolean, problem: string): Check {
  return { name, passed, message: passed ? '' : problem }
}

/** `otherwise` is the reason when every check passes. */
export function byChecks(checks: readonly Check[], otherwise: string): Judgment {
  const failed = checks.filter(({ passed }) => !passed)
  const [first] = failed
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : ''
  return concluded(first === undefined, first === undefined ? otherwise : `${first.name}: ${first.message}${more}`, {
    checks,
  })
}

export function byPolicy(whenNone: WhenNone, reasoning: string): Judgment {
  if (whenNone === 'abstain') return abstain(reasoning)
  return whenNone === 'pass' ? pass(reasoning, { score: 1 }) : fail(reasoning, { score: 0 })
}
