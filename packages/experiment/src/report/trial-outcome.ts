import type { ItemResult } from '../result/records.js'

/** Trials by item, both in the order of the result. */
export function trialsByItem(items: readonly ItemResult[]): ReadonlyMap<string, readonly ItemResult[]> {
  const trials = new Map<string, ItemResult[]>()
  for (const item of items) {
    const same = trials.get(item.itemId)
    if (same === undefined) trials.set(item.itemId, [item])
    else same.push(item)
  }
  return trials
}

/** Keys of scores, in the order of the jury; those of the tiers and juries that judges sit in follow from them. */
export function judgeKeys(keys: Iterable<string>): readonly string[] {
  const all = [...new Set(keys)]
  const above = new Set(all.flatMap((key) => ancestors(key)))
  return all.filter((key) => !above.has(key))
}

function ancestors(key: string): readonly string[] {
  const segments = key.split('/')
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('/'))
}

/** The mean of a score over trials that have it. */
export function meanScore(trials: readonly ItemResult[], key: string): number | null {
  const scores = trials.flatMap((trial) => trial.scores[key] ?? [])
  return scores.length === 0 ? null : scores.reduce((sum, value) => sum + value, 0) / scores.length
}

/** What a run is called: its experiment and, where it has one, its variant. */
export function runName({ experimentName, variant }: { experimentName: string; variant: string | null }): string {
  return variant === null ? experimentName : `${experimentName} @ ${variant}`
}
