import type { ItemResult, StopReason } from '../result/records.js'
import type { Settings } from './settings.js'
import { exhausted, type RunSpending, type SpendingLimits, spendingOf } from './spending.js'

type Limited = Pick<Settings, 'budget' | 'bailAfter' | 'outageAfter'>

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
  settings: Limited,
  stored: readonly ItemResult[],
  unpriced: (item: ItemResult) => void,
): BudgetTracker {
  const limits = limitsOf(settings)
  let spent: RunSpending = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }
  let running = 0
  let warned = false

  function count(item: ItemResult): void {
    const { usd, tokens, failed, outage } = spendingOf(item, limits.includeJudges)
    spent = {
      trials: spent.trials + 1,
      usd: spent.usd + usd,
      tokens: spent.tokens + tokens,
      failures: spent.failures + (failed ? 1 : 0),
      outages: outage === null ? spent.outages : outage ? spent.outages + 1 : 0,
      outage: outage === true ? (item.failure?.message ?? '') : spent.outage,
    }
    if (limits.usd === null || warned || item.costUsd !== null || item.agent === 'setup-error') return
    warned = true
    unpriced(item)
  }

  for (const item of stored) count(item)
  spent = resumed(spent, limits)

  return {
    started() {
      running += 1
    },
    finished(item) {
      running -= 1
      count(item)
    },
    exhausted: () => exhausted(limits, spent, running),
  }
}

/** What the settings say of the limits of a run. */
function limitsOf({ budget, bailAfter, outageAfter }: Limited): SpendingLimits {
  const { usd, tokens, includeJudges = true } = budget
  const finite = (count: number) => (Number.isFinite(count) ? count : null)
  return {
    ...{ usd: usd ?? null, tokens: tokens ?? null, includeJudges },
    ...{ bailAfter: finite(bailAfter), outageAfter: finite(outageAfter) },
  }
}

/** A run that bailed out, or met an outage, is resumed in order to continue. */
function resumed(spent: RunSpending, { bailAfter }: SpendingLimits): RunSpending {
  const failures = bailAfter !== null && spent.failures >= bailAfter ? 0 : spent.failures
  return { ...spent, failures, outages: 0, outage: null }
}
