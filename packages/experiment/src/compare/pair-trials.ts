import { groupBy } from '@jurist/kit/group-by'
import type { Trial } from '../result/trial-figures.js'

/** The fields by which trials are paired. */
export type NamedTrial = Pick<Trial, 'itemId' | 'itemHash' | 'repetition'>

/** The trials of one item with the same repetition. */
export interface TrialPair<One extends NamedTrial = Trial> {
  readonly before: One
  readonly after: One
}

/** The trials of one item on both sides. */
export interface PairedItem<One extends NamedTrial = Trial> {
  readonly itemId: string
  readonly before: readonly One[]
  readonly after: readonly One[]
  readonly pairs: readonly TrialPair<One>[]
  /** Whether the item was another task on the other side. */
  readonly changed: boolean
}

/**
 * The items of two runs with their trials paired by repetition: in the candidate's order, then the items that only the
 * baseline has.
 */
export function* pairTrials<One extends NamedTrial>(
  baseline: readonly One[],
  candidate: readonly One[],
): Generator<PairedItem<One>, void> {
  if (haveSameItems(baseline, candidate)) {
    for (const [index, trial] of candidate.entries()) {
      const partner = baseline[index]
      yield pairedItem(trial.itemId, partner === undefined ? [] : [partner], [trial])
    }
    return
  }
  const byItem = (trials: readonly One[]) => groupBy(trials, ({ itemId }) => itemId)
  const [before, after] = [byItem(baseline), byItem(candidate)]
  for (const [itemId, trials] of after) yield pairedItem(itemId, before.get(itemId) ?? [], trials)
  for (const [itemId, trials] of before) if (!after.has(itemId)) yield pairedItem(itemId, trials, [])
}

/** Whether both sides have the same items in the same order, each once: most long runs do, and need no tables. */
function haveSameItems(baseline: readonly NamedTrial[], candidate: readonly NamedTrial[]): boolean {
  if (baseline.length !== candidate.length) return false
  const ids = new Set<string>()
  for (const [index, { itemId }] of candidate.entries()) {
    if (baseline[index]?.itemId !== itemId) return false
    ids.add(itemId)
  }
  return ids.size === candidate.length
}

function pairedItem<One extends NamedTrial>(
  itemId: string,
  before: readonly One[],
  after: readonly One[],
): PairedItem<One> {
  const pairs: TrialPair<One>[] = []
  for (const trial of after) {
    const partner = repeated(before, trial.repetition)
    if (partner !== undefined) pairs.push({ before: partner, after: trial })
  }
  return { itemId, before, after, pairs, changed: pairs.some(isChanged) }
}

function repeated<One extends NamedTrial>(trials: readonly One[], repetition: number): One | undefined {
  for (const trial of trials) if (trial.repetition === repetition) return trial
  return undefined
}

function isChanged({ before, after }: TrialPair<NamedTrial>): boolean {
  return before.itemHash !== after.itemHash
}
