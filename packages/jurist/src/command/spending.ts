import type { Budget, ExperimentOptions } from '@jurist/experiment'
import { type ExperimentResult, tokensOf } from '@jurist/experiment/result'
import { usageInvalid } from '../config/problems.js'

/** What the experiments of a command have spent over all their runs, by name. */
export type Spending = Map<string, { readonly usd: number; readonly tokens: number }>

/** Adds what runs have spent, of agents and judges. */
export function addSpending(spending: Spending, results: readonly ExperimentResult[]): void {
  for (const { experimentName, costUsd, judgeCostUsd, usage, judgeUsage } of results) {
    const { usd, tokens } = spending.get(experimentName) ?? { usd: 0, tokens: 0 }
    spending.set(experimentName, {
      usd: usd + (costUsd ?? 0) + (judgeCostUsd ?? 0),
      tokens: tokens + (tokensOf(usage) ?? 0) + (tokensOf(judgeUsage) ?? 0),
    })
  }
}

/**
 * The experiment with what is left of its budget; `undefined` when nothing is.
 *
 * @throws `usage-invalid` for an experiment without a budget
 */
export function withinBudget(experiment: ExperimentOptions, spending: Spending): ExperimentOptions | undefined {
  const { budget: { usd, tokens, ...others } = {}, name } = experiment
  if (usd === undefined && tokens === undefined)
    throw usageInvalid(
      '--watch',
      `--watch runs ${name} again and again, so it needs a budget for all these runs together. ` +
        'Give --budget <usd> or --budget-tokens <n>; an agent that costs nothing never uses it up.',
    )
  const spent = spending.get(name) ?? { usd: 0, tokens: 0 }
  const left: Budget = {
    ...others,
    ...(usd === undefined ? {} : { usd: usd - spent.usd }),
    ...(tokens === undefined ? {} : { tokens: tokens - spent.tokens }),
  }
  return (left.usd ?? 1) > 0 && (left.tokens ?? 1) > 0 ? { ...experiment, budget: left } : undefined
}
