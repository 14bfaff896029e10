import { JuristError } from '@jurist/core'
import { type Comparison, compare, type ItemChange } from '@jurist/experiment/compare'
import { type ConditionDifference, changeKinds, trialsOf } from '@jurist/experiment/internal/results'
import { outcomeOf, type RunResult, type Trial, type TrialOutcome } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'

export interface Attempt {
  readonly repetition: number
  readonly outcome: TrialOutcome
}

/** An item with all its attempts in both runs. Attempts of two runs are independent, so no attempt has a partner. */
export interface ComparedItem extends ItemChange {
  readonly baseline: readonly Attempt[]
  readonly candidate: readonly Attempt[]
}

/** The comparison of two runs, or the differences in conditions that make it meaningless. */
export type ComparisonDocument =
  | { readonly state: 'refused'; readonly message: string; readonly differences: readonly ConditionDifference[] }
  | {
      readonly state: 'compared'
      readonly comparison: Omit<Comparison, 'items'>
      /** The first 2,000 items of the list. */
      readonly items: readonly ComparedItem[]
      readonly totalItems: number
    }

const maxItems = 2_000

/**
 * Compares two runs. `ignore=conditions` compares them even if their conditions differ. See `listedItems` for the other
 * parameters.
 */
export function comparisonDocument(
  baseline: RunResult,
  candidate: RunResult,
  query: URLSearchParams,
): ComparisonDocument {
  try {
    const whole = comparisonOf(baseline, candidate, query.get('ignore') === 'conditions')
    const { items: _, ...comparison } = whole
    const listed = listedItems(whole, query)
    const [before, after] = [attemptsByItem(baseline), attemptsByItem(candidate)]
    const items = listed.slice(0, maxItems).map((item) => ({
      ...item,
      baseline: before.get(item.itemId) ?? [],
      candidate: after.get(item.itemId) ?? [],
    }))
    return { state: 'compared', comparison, items, totalItems: listed.length }
  } catch (thrown) {
    if (!JuristError.is(thrown, 'conditions-differ')) throw thrown
    return { state: 'refused', message: thrown.message, differences: thrown.details.differences }
  }
}

const comparisons = new WeakMap<RunResult, WeakMap<RunResult, Comparison>>()

/** Each pair of runs is compared once, since the list and each of its items need the same comparison. */
export function comparisonOf(baseline: RunResult, candidate: RunResult, ignoreConditions: boolean): Comparison {
  const known = comparisons.get(baseline)?.get(candidate)
  if (known !== undefined && (ignoreConditions || known.differences.every(({ allowed }) => allowed))) return known
  const made = compare(baseline, candidate, { ignoreConditions })
  const others = comparisons.get(baseline) ?? new WeakMap()
  comparisons.set(baseline, others.set(candidate, made))
  return made
}

/**
 * Returns the items of a list, those with the most notable change of the pass rate first. `change` is one kind of
 * change, or `all`. By default the list has what changed, or everything if a run is compared with itself. `q` is a part
 * of the id.
 */
export function listedItems({ items, baseline, candidate }: Comparison, query: URLSearchParams): readonly ItemChange[] {
  const wanted = query.get('change') ?? (baseline.id === candidate.id ? 'all' : null)
  const words = (query.get('q') ?? '').trim().toLowerCase()
  const listed = items.filter(({ itemId, change, flips }) => {
    if (!itemId.toLowerCase().includes(words)) return false
    if (wanted === null) return change !== 'unchanged' || flips.length > 0
    return wanted === 'all' || change === wanted
  })
  return listed.sort((a, b) => rankOf(a) - rankOf(b))
}

function rankOf({ change, flips }: ItemChange): number {
  return changeKinds.indexOf(change) - (flips.length > 0 ? 1.5 : 0)
}

const attempts = new WeakMap<RunResult, ReadonlyMap<string, readonly Attempt[]>>()

/** Returns all attempts of a run at each item, in the order of their numbers. */
export function attemptsByItem(run: RunResult): ReadonlyMap<string, readonly Attempt[]> {
  const known = attempts.get(run)
  if (known !== undefined) return known
  const groups = [...groupBy(trialsOf(run), ({ itemId }) => itemId)].map(([itemId, trials]) => {
    return [itemId, trials.map(attemptOf).sort((a, b) => a.repetition - b.repetition)] as const
  })
  const made = new Map(groups)
  attempts.set(run, made)
  return made
}

function attemptOf(trial: Trial): Attempt {
  return { repetition: trial.repetition, outcome: outcomeOf(trial) }
}
