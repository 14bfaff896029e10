import type { ItemResult, StopReason } from '../result/records.js'
import { exhausted, type RunSpending, type SpendingLimits, withTrial } from '../result/spending.js'
import type { Settings } from './settings.js'

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
  let spent = spentBy(stored, limits)
  let running = 0
  let warned = false

  function noteUnpriced(item: ItemResult): void {
    if (limits.usd === null || warned || item.costUsd !== null || item.agent === 'setup-error') return
    warned = true
    unpriced(item)
  }

  stored.forEach(noteUnpriced)

  return {
    started() {
      running += 1
    },
    finished(item) {
      running -= 1
      spent = withTrial(spent, item, limits)
      noteUnpriced(item)
    },
    exhausted: () => exhausted(limits, spent, running),
  }
}

/**
 * The account of a run that continues. One that bailed out, or met an outage, continues in order to go on: those are not
 * counted.
 */
export function spentBy(stored: readonly ItemResult[], limits: SpendingLimits): RunSpending {
  const nothing: RunSpending = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }
  const spent = stored.reduce((sum, item) => withTrial(sum, item, limits), nothing)
  const failures = limits.bailAfter !== null && spent.failures >= limits.bailAfter ? 0 : spent.failures
  return { ...spent, failures, outages: 0, outage: null }
}

/** What the settings say of the limits of a run. */
export function limitsOf({ budget, bailAfter, outageAfter }: Limited): SpendingLimits {
  const { usd, tokens, includeJudges = true } = budget
  const finite = (count: number) => (Number.isFinite(count) ? count : null)
  return {
    ...{ usd: usd ?? null, tokens: tokens ?? null, includeJudges },
    ...{ bailAfter: finite(bailAfter), outageAfter: finite(outageAfter) },
  }
}
