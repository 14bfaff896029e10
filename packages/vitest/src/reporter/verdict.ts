import { abstain, fail, type Judgment, pass, type Verdict, verdictFromJson } from '@jurist/core'
import { totalCost, totalUsage } from '@jurist/core/internal'
import type { NotedAnswer } from '../noted.js'

/** How a test ended, as Vitest says. */
export interface TestOutcome {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending'
  /** Messages of what was thrown. */
  readonly errors: readonly string[]
  readonly durationMs: number
}

/**
 * A test as a verdict: the whole is what Vitest says; its parts are `test` itself and every judge and jury that was asked,
 * under its own name.
 */
export function verdictOfTest(outcome: TestOutcome, answers: readonly NotedAnswer[]): Verdict {
  const whole = judgmentOf(outcome)
  const individual: Record<string, Judgment> = { test: whole }
  const subVerdicts: Record<string, Verdict> = {}
  for (const { name, judgment, verdict } of answers) {
    const free = freeName(name.slice(0, 56) || 'judge', individual)
    individual[free] = judgment
    if (verdict !== undefined) subVerdicts[free] = verdict
  }
  const spenders = answers.map(({ judgment, verdict }) => verdict ?? judgment)
  const costUsd = totalCost(spenders.map((spender) => spender.costUsd))
  return verdictFromJson({
    aggregated: whole,
    individual,
    weights: Object.fromEntries(Object.keys(individual).map((name) => [name, 1])),
    subVerdicts,
    usage: totalUsage(spenders.map((spender) => spender.usage)),
    ...(costUsd === undefined ? {} : { costUsd }),
    elapsedMs: outcome.durationMs,
  })
}

function judgmentOf({ state, errors }: TestOutcome): Judgment {
  switch (state) {
    case 'passed':
      return pass('the test passed')
    case 'failed':
      return fail(errors.join('\n') || 'the test failed')
    case 'skipped':
      return abstain('the test was skipped')
    case 'pending':
      return abstain('the test did not run')
    default:
      return state satisfies never
  }
}

function freeName(wanted: string, taken: { readonly [name: string]: Judgment }): string {
  if (!Object.hasOwn(taken, wanted)) return wanted
  for (let count = 2; ; count++) if (!Object.hasOwn(taken, `${wanted}-${count}`)) return `${wanted}-${count}`
}
