import { JuristError } from '@jurist/core'
import { type Comparison, type ConditionDifference, compare, type ItemChange } from '@jurist/experiment/compare'
import type { ExperimentResult } from '@jurist/experiment/result'

/** Two runs side by side, or why their difference would mean nothing. */
export type ComparisonDocument =
  | { readonly state: 'refused'; readonly message: string; readonly differences: readonly ConditionDifference[] }
  | {
      readonly state: 'compared'
      readonly comparison: Omit<Comparison, 'items'>
      /** Flips first, what got worse before what got better; at most `mostItems`. */
      readonly items: readonly ItemChange[]
      readonly totalItems: number
    }

const mostItems = 2_000

/** Compares two runs; with `ignore=conditions` also when they were measured under conditions that differ. */
export function comparisonDocument(
  baseline: ExperimentResult,
  candidate: ExperimentResult,
  query: URLSearchParams,
): ComparisonDocument {
  try {
    const { items, ...comparison } = compare(baseline, candidate, {
      ignoreConditions: query.get('ignore') === 'conditions',
    })
    const sorted = items.toSorted((a, b) => rankOf(a) - rankOf(b))
    return { state: 'compared', comparison, items: sorted.slice(0, mostItems), totalItems: items.length }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    return { state: 'refused', message: thrown.message, differences: thrown.details.differences }
  }
}

const ranks: Readonly<Record<ItemChange['status'], number>> = {
  regressed: 1,
  improved: 2,
  undetermined: 3,
  new: 4,
  removed: 5,
  unchanged: 6,
}

function rankOf({ status, flips }: ItemChange): number {
  return ranks[status] - (flips.length > 0 ? 2.5 : 0)
}
