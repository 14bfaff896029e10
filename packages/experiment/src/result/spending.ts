import type { Usage } from '@jurist/core'
import { totalUsage } from '@jurist/core/internal'
import type { ItemResult, StopReason } from './records.js'

/** The account of a run. */
export interface RunSpending {
  /** Trials that have ended. */
  readonly trials: number
  readonly usd: number
  readonly tokens: number
  readonly failures: number
  /** How many trials in a row the infrastructure failed, up to the last one. */
  readonly outages: number
  /** The failure of the last of them. */
  readonly outage: string | null
}

/** The limits of a run; `null`: no limit. */
export interface SpendingLimits {
  /** US dollars. */
  readonly usd: number | null
  readonly tokens: number | null
  /** Whether the spending of juries counts. */
  readonly includeJudges: boolean
  /** How many trials may fail or decide nothing. */
  readonly bailAfter: number | null
  /** How many trials in a row the infrastructure may fail. */
  readonly outageAfter: number | null
}

/** A trial that failed, or that was judged and decided nothing. A cancelled one counts as neither. */
function isFailure({ passed, agent, judged }: ItemResult): boolean {
  if (passed !== null) return !passed
  return agent !== 'cancelled' && !(agent === 'completed' && judged === 'not-judged')
}

/**
 * The account of a run with one trial more.
 *
 * @param includeJudges whether what the jury spent counts
 *
 * @example
 * import { exhausted, type RunLimits, type RunSpending, withTrial } from '@jurist/experiment/store-kit'
 * import type { ItemResult } from '@jurist/experiment/result'
 *
 * declare const before: RunSpending
 * declare const item: ItemResult
 * declare const limits: RunLimits
 * const spent = withTrial(before, item, limits)
 * console.log(exhausted(limits, spent, 3)?.message ?? 'continue')
 */
export function withTrial(
  spent: RunSpending,
  item: ItemResult,
  { includeJudges }: Pick<SpendingLimits, 'includeJudges'>,
): RunSpending {
  const judges = includeJudges ? item.judgeCostUsd : null
  const usages = [item.usage, item.user?.usage, includeJudges ? item.judgeUsage : null]
  const isOutage = item.passed === null && item.failure?.infrastructure === true
  return {
    trials: spent.trials + 1,
    usd: spent.usd + ((item.costUsd ?? 0) + (item.user?.costUsd ?? 0) + (judges ?? 0)),
    tokens: usages.reduce((sum, usage) => sum + (tokensOf(usage ?? null) ?? 0), spent.tokens),
    failures: spent.failures + (isFailure(item) ? 1 : 0),
    // A cancelled trial does not show whether the infrastructure failed.
    outages: item.agent === 'cancelled' ? spent.outages : isOutage ? spent.outages + 1 : 0,
    outage: isOutage && item.agent !== 'cancelled' ? (item.failure?.message ?? '') : spent.outage,
  }
}

/**
 * Why no further trial of a run may start; `null` if one may. Each trial that is running counts with the mean of those that
 * have ended.
 *
 * @param running how many trials are running
 *
 * @example
 * import { exhausted } from '@jurist/experiment/store-kit'
 *
 * const limits = { usd: 5, tokens: null, includeJudges: true, bailAfter: null, outageAfter: 5 }
 * const spent = { trials: 10, usd: 4.5, tokens: 0, failures: 0, outages: 0, outage: null }
 * exhausted(limits, spent, 2)?.message // 'the budget of 5 US dollars is used up'
 */
export function exhausted(
  { usd, tokens, bailAfter, outageAfter }: SpendingLimits,
  spent: RunSpending,
  running: number,
): { readonly reason: StopReason; readonly message: string } | null {
  const expected = (sum: number) => (spent.trials === 0 ? sum : sum + (sum / spent.trials) * running)
  if (bailAfter !== null && spent.failures >= bailAfter)
    return { reason: 'bail', message: `${spent.failures} trials have failed or decided nothing` }
  if (outageAfter !== null && spent.outages >= outageAfter)
    return { reason: 'infrastructure', message: outageMessage(spent) }
  if (usd !== null && expected(spent.usd) >= usd)
    return { reason: 'budget', message: `the budget of ${usd} US dollars is used up` }
  if (tokens !== null && expected(spent.tokens) >= tokens)
    return { reason: 'budget', message: `the budget of ${tokens} tokens is used up` }
  return null
}

function outageMessage({ outages, outage }: RunSpending): string {
  const cause = outage ?? ''
  const sentence = /[.!?]$/.test(cause) ? cause : `${cause}.`
  const many = outages === 1 ? 'a trial' : `${outages} trials in a row`
  return `The infrastructure failed in ${many}, last with: ${sentence} Fix it (network, key, quota, program), then continue with --resume.`
}

/**
 * The account of a run that continues. One that bailed out, or stopped for an outage, is resumed to continue: those are
 * not counted.
 */
export function spentBy(stored: readonly ItemResult[], limits: SpendingLimits): RunSpending {
  const nothing: RunSpending = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }
  const spent = stored.reduce((sum, item) => withTrial(sum, item, limits), nothing)
  const failures = limits.bailAfter !== null && spent.failures >= limits.bailAfter ? 0 : spent.failures
  return { ...spent, failures, outages: 0, outage: null }
}

/** The sum of several usages: each number over the usages that have it; `null` when none has a number. */
export function sumUsage(usages: readonly (Usage | null | undefined)[]): Usage | null {
  if (!usages.some((usage) => usage !== null && usage !== undefined)) return null
  const total = totalUsage(usages)
  return Object.keys(total).length === 0 ? null : total
}

/**
 * Tokens in all, for budgets and tables: the reported total, else input and output when both are known, else `null`.
 *
 * @example
 * import { tokensOf } from '@jurist/experiment/result'
 *
 * tokensOf({ inputTokens: 3, outputTokens: 1 }) // 4
 */
export function tokensOf(usage: Usage | null): number | null {
  const { totalTokens, inputTokens, outputTokens } = usage ?? {}
  if (totalTokens !== undefined) return totalTokens
  return inputTokens === undefined || outputTokens === undefined ? null : inputTokens + outputTokens
}
