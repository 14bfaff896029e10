import { JuristError } from '@jurist/core'
import { totalCost } from '@jurist/core/internal'
import { type ExperimentEvent, type ExperimentOptions, planExperiment } from '@jurist/experiment'
import { counted } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import { dollars, duration } from '@jurist/experiment/result'
import type { Host } from '../../command-kit/host.js'

declare module '@jurist/core' {
  interface Problems {
    'budget-short': { readonly budgetUsd: number }
  }
}

/** The cost of a study, against its budget. */
export interface Spending {
  readonly follow: (event: ExperimentEvent) => void
  /** Fires with `budget-short`. */
  readonly signal: AbortSignal
}

const remedy = 'Raise --budget, or ask less: --repeat, --item, --no-triggers'

/**
 * Prints how many trials a study has, and what they cost and take by earlier studies of the same name. Without any, the cost is
 * estimated from the first trial of each arm.
 *
 * @param experiments the tasks, and the trigger queries
 * @throws `usage-invalid` when the budget does not suffice by the earlier studies
 */
export async function spendingOf(
  { note }: Host,
  experiments: readonly ExperimentOptions<string>[],
  budget: number | undefined,
  isResumed: boolean,
): Promise<Spending> {
  const sizes: string[] = []
  const estimates: (number | null)[] = []
  let [trials, ms] = [0, 0]
  for (const [index, experiment] of experiments.entries()) {
    const names = Object.keys(experiment.variants ?? {})
    const plans = await Promise.all(names.map((variant) => planExperiment(experiment, { variant, kind: 'lift' })))
    const planned = plans.reduce((sum, plan) => sum + plan.trials, 0)
    trials += planned
    estimates.push(...plans.map(({ estimatedCostUsd }) => estimatedCostUsd))
    // Arms run next to each other.
    ms += Math.max(...plans.map(({ estimatedMs }) => estimatedMs ?? Number.NaN))
    sizes.push(counted(planned, index === 0 && names.length > 1 ? 'trial' : 'trigger trial'))
  }
  const expected = estimates.includes(null) ? undefined : totalCost(estimates)
  const time = Number.isNaN(ms) ? '' : `, about ${duration(ms)}`
  const cost = expected === undefined ? '' : `, about ${dollars(expected)}`
  note(`${sizes.join(' + ')}${cost}${time}${cost + time === '' ? '' : ' by the latest study'}`)
  if (budget !== undefined && expected !== undefined && expected > budget && !isResumed)
    throw usageInvalid('--budget', `${dollars(budget)} ${isNotEnough}: about ${dollars(expected)}. ${remedy}.`)
  return follower({ note, trials, budget, isEstimated: expected !== undefined })
}

const isNotEnough = 'does not suffice for this study'

interface Following extends Pick<Host, 'note'> {
  readonly trials: number
  readonly budget: number | undefined
  readonly isEstimated: boolean
}

function follower({ note, trials, budget, isEstimated }: Following): Spending {
  const stop = new AbortController()
  let left = trials
  const costs = new Map<string, number[]>()
  let isSaid = isEstimated
  let isPriced = true
  const short = (what: string) => {
    const message = `${what} Finished trials are stored. ${remedy}; add --resume to continue.`
    if (!stop.signal.aborted) stop.abort(new JuristError('budget-short', message, { budgetUsd: budget ?? 0 }))
  }
  return {
    signal: stop.signal,
    follow(event) {
      if (event.type === 'experiment-start') {
        costs.set(event.runId, [])
        left -= event.resumed
      }
      if (event.type !== 'item-end') return
      const { costUsd, judgeCostUsd } = event.result
      const cost = totalCost([costUsd, judgeCostUsd])
      if (cost === undefined && budget !== undefined && isPriced) {
        isPriced = false
        note('warning: A trial declares no cost: the budget cannot count it.')
      }
      if (cost !== undefined) costs.get(event.runId)?.push(cost)
      const known = [...costs.values()]
      const spent = known.flat().reduce((sum, one) => sum + one, 0)
      if (budget !== undefined && spent >= budget) short(`The budget of ${dollars(budget)} is used up.`)
      if (isSaid || known.some((one) => one.length === 0)) return
      isSaid = true
      const expected = (spent / known.flat().length) * left
      note(`About ${dollars(expected)} for ${counted(left, 'trial')}, by the first ${known.flat().length}.`)
      if (budget !== undefined && expected > budget)
        short(`${dollars(budget)} ${isNotEnough}: about ${dollars(expected)}.`)
    },
  }
}
