import type { ItemResult, StopReason } from '../result/records.js'
import { tokensOf } from '../result/summarize.js'
import type { Settings } from './settings.js'

/** Adds up what a run spends and how often it fails, and decides when it must stop. */
export interface BudgetTracker {
  /** Called when a trial starts. */
  started(): void
  /** Called when a trial that started has ended, before the next one may start. */
  finished(item: ItemResult): void
  /** Why the next trial must not start; `null` if it may. */
  exhausted(): { readonly reason: StopReason; readonly message: string } | null
}

/**
 * Tracks the cost and the failures of a run.
 *
 * @param stored the stored trials of a resumed run: their cost counts, and their failures unless these had stopped the run
 * @param unpriced called once, if there is a budget in dollars and a trial declares no cost
 */
export function budgetTracker(
  { budget, bailAfter, outageAfter }: Pick<Settings, 'budget' | 'bailAfter' | 'outageAfter'>,
  stored: readonly ItemResult[],
  unpriced: (item: ItemResult) => void,
): BudgetTracker {
  const { usd, tokens, includeJudges = true } = budget
  const spent = { trials: 0, usd: 0, tokens: 0 }
  let running = 0
  let failures = 0
  let outage: readonly ItemResult[] = []
  let warned = false

  function count(item: ItemResult): void {
    spent.trials += 1
    spent.usd += (item.costUsd ?? 0) + (item.user?.costUsd ?? 0) + (includeJudges ? (item.judgeCostUsd ?? 0) : 0)
    spent.tokens += (tokensOf(item.usage) ?? 0) + (tokensOf(item.user?.usage ?? null) ?? 0)
    spent.tokens += includeJudges ? (tokensOf(item.judgeUsage) ?? 0) : 0
    if (isFailure(item)) failures += 1
    if (usd === undefined || warned || item.costUsd !== null || item.agent === 'setup-error') return
    warned = true
    unpriced(item)
  }

  /** The amount spent, and as much for each running trial as the mean of those that have ended. */
  function expected(sum: number): number {
    return spent.trials === 0 ? sum : sum + (sum / spent.trials) * running
  }

  for (const item of stored) count(item)
  // A run that bailed out is resumed in order to continue.
  if (failures >= bailAfter) failures = 0

  return {
    started() {
      running += 1
    },
    finished(item) {
      running -= 1
      count(item)
      if (item.agent !== 'cancelled') outage = isOutage(item) ? [...outage, item] : []
    },
    exhausted() {
      if (failures >= bailAfter) return { reason: 'bail', message: `${failures} trials have failed or decided nothing` }
      if (outage.length >= outageAfter) return { reason: 'infrastructure', message: outageMessage(outage) }
      if (usd !== undefined && expected(spent.usd) >= usd)
        return { reason: 'budget', message: `the budget of ${usd} US dollars is used up` }
      if (tokens !== undefined && expected(spent.tokens) >= tokens)
        return { reason: 'budget', message: `the budget of ${tokens} tokens is used up` }
      return null
    },
  }
}

/** A trial that failed, or that was judged and decided nothing. A cancelled one counts as neither. */
function isFailure({ passed, agent, judged }: ItemResult): boolean {
  if (passed !== null) return !passed
  return agent !== 'cancelled' && !(agent === 'completed' && judged === 'not-judged')
}

function isOutage({ passed, failure }: ItemResult): boolean {
  return passed === null && failure?.infrastructure === true
}

/** What failed, and what to do about it. */
function outageMessage(trials: readonly ItemResult[]): string {
  const cause = trials.at(-1)?.failure?.message ?? ''
  const sentence = /[.!?]$/.test(cause) ? cause : `${cause}.`
  const many = trials.length === 1 ? 'a trial' : `${trials.length} trials in a row`
  return `The infrastructure failed in ${many}, last with: ${sentence} Fix it (network, key, quota, program), then continue with --resume.`
}
