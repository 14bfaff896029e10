import { JuristError } from '@jurist/core'
import { type Comparison, type ConditionDifference, compare, type ItemChange } from '@jurist/experiment/compare'
import { changeKinds } from '@jurist/experiment/internal/results'
import type { RunResult } from '@jurist/experiment/result'

/** The comparison of two runs, or the differences in conditions that make it meaningless. */
export type ComparisonDocument =
  | { readonly state: 'refused'; readonly message: string; readonly differences: readonly ConditionDifference[] }
  | {
      readonly state: 'compared'
      readonly comparison: Omit<Comparison, 'items'>
      /** The items with the requested change, at most 2,000. Flips come first, and worse items before better ones. */
      readonly items: readonly ItemChange[]
      readonly totalItems: number
    }

const maxItems = 2_000

/**
 * Compares two runs. `ignore=conditions` compares them even if their conditions differ; `change` selects one kind of
 * change.
 */
export function comparisonDocument(
  baseline: RunResult,
  candidate: RunResult,
  query: URLSearchParams,
): ComparisonDocument {
  try {
    const { items, ...comparison } = compare(baseline, candidate, {
      ignoreConditions: query.get('ignore') === 'conditions',
    })
    const wanted = query.get('change')
    const fitting = wanted === null ? items : items.filter(({ change }) => change === wanted)
    const sorted = fitting.toSorted((a, b) => rankOf(a) - rankOf(b))
    return { state: 'compared', comparison, items: sorted.slice(0, maxItems), totalItems: fitting.length }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    return { state: 'refused', message: thrown.message, differences: thrown.details.differences }
  }
}

function rankOf({ change, flips }: ItemChange): number {
  return changeKinds.indexOf(change) - (flips.length > 0 ? 1.5 : 0)
}
