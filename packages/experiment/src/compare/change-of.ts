import type { ItemChange, ItemChangeKind } from './comparison.js'

/** All kinds of changes, in the order in which reports show them. */
export const changeKinds: readonly ItemChangeKind[] = [
  'regressed',
  'improved',
  'scores-moved',
  'undetermined',
  'new',
  'removed',
  'unchanged',
]

const words: Readonly<Record<ItemChangeKind, string>> = {
  regressed: 'regressed',
  improved: 'improved',
  'scores-moved': 'scores moved',
  undetermined: 'undetermined',
  new: 'new',
  removed: 'removed',
  unchanged: 'unchanged',
}

/**
 * A kind of change in words.
 *
 * @example
 * changeWord('scores-moved') // 'scores moved'
 */
export function changeWord(kind: ItemChangeKind): string {
  return words[kind]
}

/**
 * The kind of change that `ItemChange.change` holds, also of an item of a comparison that was stored without it.
 *
 * @example
 * comparison.items.filter((item) => changeOf(item) === 'regressed')
 */
export function changeOf({ status, passDelta }: Pick<ItemChange, 'status' | 'passDelta'>): ItemChangeKind {
  if (status === 'new' || status === 'removed') return status
  if (passDelta === null) return 'undetermined'
  if (passDelta !== 0) return passDelta < 0 ? 'regressed' : 'improved'
  return status === 'regressed' || status === 'improved' ? 'scores-moved' : 'unchanged'
}

/**
 * How many items changed in each way. `improved` and `regressed` are the items that the exact test counts as better and
 * worse; `scores-moved` and `unchanged` together are those that it counts as the same.
 *
 * @example
 * changeCounts(comparison.items)['scores-moved']
 */
export function changeCounts(
  items: Iterable<Pick<ItemChange, 'status' | 'passDelta'>>,
): Readonly<Record<ItemChangeKind, number>> {
  const counts: Record<ItemChangeKind, number> = {
    ...{ regressed: 0, improved: 0, 'scores-moved': 0, undetermined: 0, new: 0, removed: 0, unchanged: 0 },
  }
  for (const item of items) counts[changeOf(item)] += 1
  return counts
}
