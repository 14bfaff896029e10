import type { Trial } from '../result/trial-figures.js'

/** The trials of one item with the same repetition. */
export interface TrialPair {
  readonly before: Trial
  readonly after: Trial
}

/** The trials of one item on both sides. */
export interface PairedItem {
  readonly itemId: string
  readonly before: readonly Trial[]
  readonly after: readonly Trial[]
  readonly pairs: readonly TrialPair[]
  /** Whether the item was another task on the other side. */
  readonly changed: boolean
}

/** The items of two runs with their trials paired by repetition: the candidate's order, then what only the baseline has. */
export function* pairTrials(baseline: readonly Trial[], candidate: readonly Trial[]): Generator<PairedItem, void> {
  if (standSideBySide(baseline, candidate)) {
    for (const [index, trial] of candidate.entries()) {
      const partner = baseline[index]
      yield pairedItem(trial.itemId, partner === undefined ? [] : [partner], [trial])
    }
    return
  }
  const [before, after] = [byItem(baseline), byItem(candidate)]
  for (const [itemId, trials] of after) yield pairedItem(itemId, before.get(itemId) ?? [], trials)
  for (const [itemId, trials] of before) if (!after.has(itemId)) yield pairedItem(itemId, trials, [])
}

/** Whether both sides have the same items in the same order, each once: most long runs do, and need no tables. */
function standSideBySide(baseline: readonly Trial[], candidate: readonly Trial[]): boolean {
  if (baseline.length !== candidate.length) return false
  const ids = new Set<string>()
  for (const [index, { itemId }] of candidate.entries()) {
    if (baseline[index]?.itemId !== itemId) return false
    ids.add(itemId)
  }
  return ids.size === candidate.length
}

function byItem(items: readonly Trial[]): ReadonlyMap<string, readonly Trial[]> {
  const groups = new Map<string, Trial[]>()
  for (const item of items) {
    const group = groups.get(item.itemId)
    if (group === undefined) groups.set(item.itemId, [item])
    else group.push(item)
  }
  return groups
}

function pairedItem(itemId: string, before: readonly Trial[], after: readonly Trial[]): PairedItem {
  const pairs: TrialPair[] = []
  for (const trial of after) {
    const partner = repeated(before, trial.repetition)
    if (partner !== undefined) pairs.push({ before: partner, after: trial })
  }
  return { itemId, before, after, pairs, changed: pairs.some(isChanged) }
}

function repeated(trials: readonly Trial[], repetition: number): Trial | undefined {
  for (const trial of trials) if (trial.repetition === repetition) return trial
  return undefined
}

function isChanged({ before, after }: TrialPair): boolean {
  return before.itemHash !== after.itemHash
}
