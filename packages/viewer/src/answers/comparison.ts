import { JuristError } from '@jurist/core'
import { type Comparison, compare, type ItemChange } from '@jurist/experiment/compare'
import { type ConditionDifference, changeKinds, itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf, type RunResult, type Trial, type TrialOutcome } from '@jurist/experiment/result'
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
function comparisonOf(baseline: RunResult, candidate: RunResult, ignoreConditions: boolean): Comparison {
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
function listedItems({ items, baseline, candidate }: Comparison, query: URLSearchParams): readonly ItemChange[] {
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

export interface PairSide {
  readonly run: Pick<RunResult, 'id' | 'experimentName' | 'variant' | 'startedAt'>
  /** All attempts of the run at the item. */
  readonly attempts: readonly Attempt[]
  /** The attempt that is shown; `null` if the run does not have the item. */
  readonly item: ItemResult | null
}

/** Two trials of one item, and the position of the item in the list that they were opened from. */
export interface PairDocument {
  readonly itemId: string
  readonly change: ItemChange['change']
  readonly left: PairSide
  readonly right: PairSide
  /** `null` if the filters of the list exclude the item. */
  readonly index: number | null
  readonly total: number
  /** The ids of the neighbouring items in the list. */
  readonly previous: string | null
  readonly next: string | null
}

/**
 * Reads two trials of an item: `left` and `right` are the numbers of attempts; by default, two that show the change.
 * The other parameters are those of the list. The conditions of the runs may differ. Returns `undefined` if neither run
 * has the item.
 */
export async function pairDocument(
  baseline: RunResult,
  candidate: RunResult,
  itemId: string,
  query: URLSearchParams,
): Promise<PairDocument | undefined> {
  const comparison = comparisonOf(baseline, candidate, true)
  const found = comparison.items.find((item) => item.itemId === itemId)
  if (found === undefined) return undefined
  const sides = [baseline, candidate].map((run) => attemptsByItem(run).get(itemId) ?? [])
  const [left, right] = chosenAttempts(sides, { change: found.change, isOneRun: baseline.id === candidate.id }, query)
  const listed = listedItems(comparison, query)
  const at = listed.findIndex((item) => item.itemId === itemId)
  return {
    itemId,
    change: found.change,
    left: await sideOf(baseline, itemId, left),
    right: await sideOf(candidate, itemId, right),
    index: at < 0 ? null : at,
    total: listed.length,
    previous: listed[at - 1]?.itemId ?? null,
    next: listed[at + 1]?.itemId ?? null,
  }
}

async function sideOf(run: RunResult, itemId: string, attempt: Attempt | undefined): Promise<PairSide> {
  const trial = trialsOf(run).find((one) => one.itemId === itemId && one.repetition === attempt?.repetition)
  const [item = null] = trial === undefined ? [] : await itemsOf(run, [trial])
  const { id, experimentName, variant, startedAt } = run
  return {
    run: { id, experimentName, variant, startedAt },
    attempts: attemptsByItem(run).get(itemId) ?? [],
    item,
  }
}

type Chosen = readonly [Attempt | undefined, Attempt | undefined]

/**
 * Chooses the wanted attempts; otherwise the first two that differ in the way the item changed; otherwise the first two
 * with different outcomes; otherwise the first ones, or the first two of one run.
 */
function chosenAttempts(
  [before = [], after = []]: readonly (readonly Attempt[])[],
  { change, isOneRun }: { readonly change: ItemChange['change']; readonly isOneRun: boolean },
  query: URLSearchParams,
): Chosen {
  const [left, right] = [wanted(before, query.get('left')), wanted(after, query.get('right'))]
  const pairs = left.flatMap((one) => right.map((other) => [one, other] as const))
  const isPass = ({ outcome }: Attempt) => outcome === 'pass'
  const shows = ([one, other]: readonly [Attempt, Attempt]) =>
    change === 'improved' ? !isPass(one) && isPass(other) : isPass(one) && !isPass(other)
  const differs = ([one, other]: readonly [Attempt, Attempt]) => one.outcome !== other.outcome
  const isOther = ([one, other]: readonly [Attempt, Attempt]) => !isOneRun || one.repetition !== other.repetition
  return pairs.find(shows) ?? pairs.find(differs) ?? pairs.find(isOther) ?? pairs[0] ?? [left[0], right[0]]
}

function wanted(attempts: readonly Attempt[], repetition: string | null): readonly Attempt[] {
  const found = attempts.filter((attempt) => String(attempt.repetition) === repetition)
  return found.length > 0 ? found : attempts
}
