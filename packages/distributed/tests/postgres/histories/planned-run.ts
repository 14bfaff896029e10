import type { TrialName } from '@jurist/experiment/internal/results'
import type { PlannedRun } from '@jurist/experiment/store-kit'
import { aResult } from '@jurist/experiment/testing'

const limits = { usd: null, tokens: null, includeJudges: true, bailAfter: null, outageAfter: null, timeoutMs: null }
const spent = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }

/** A run of some trials without limits. */
export function aRun(
  count: number,
  more: Partial<PlannedRun> = {},
): PlannedRun & { readonly trials: readonly TrialName[] } {
  const itemOrder = Array.from({ length: count }, (_, index) => `item-${index}`)
  const { items, status, stopReason, endedAt, durationMs, counts, passRate, ...manifest } = aResult({ planned: count })
  const trials = itemOrder.map((itemId) => ({ itemId, repetition: 1 }))
  return { manifest: { ...manifest, itemOrder }, limits, spent, labels: [], requireSameCommit: true, ...more, trials }
}
