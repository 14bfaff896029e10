import type { ItemChange } from '@jurist/experiment/compare'
import { itemsOf, trialsOf } from '@jurist/experiment/internal/results'
import type { ItemResult, RunResult } from '@jurist/experiment/result'
import { type Attempt, attemptsByItem, comparisonOf, listedItems } from './comparison.js'

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
