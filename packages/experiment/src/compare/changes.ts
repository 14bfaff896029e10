import type { Trial } from '../result/trial-figures.js'
import type { CompareSettings } from './compare-options.js'
import type { Flip, FlipCounts, ItemChange, ItemChangeKind, ItemChangeStatus } from './comparison.js'
import type { BothSides, ItemAmounts, NamedMeasure, PairedItem } from './measures.js'

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

export function changeWord(kind: ItemChangeKind): string {
  return words[kind]
}

/** The kind of change that `ItemChange.change` holds, also of an item of a comparison that was stored without it. */
export function changeOf({ status, passDelta }: Pick<ItemChange, 'status' | 'passDelta'>): ItemChangeKind {
  if (status === 'new' || status === 'removed') return status
  if (passDelta === null) return 'undetermined'
  if (passDelta !== 0) return passDelta < 0 ? 'regressed' : 'improved'
  return status === 'regressed' || status === 'improved' ? 'scores-moved' : 'unchanged'
}

/**
 * How many items changed in each way. `improved` and `regressed` are the items that the exact test counts as better and
 * worse; `scores-moved` and `unchanged` together are those that it counts as the same.
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

/** Classifies the change of an item. An item that was another task on the other side has no deltas. */
export function itemChange(
  item: PairedItem,
  passed: BothSides | null,
  amounts: ItemAmounts,
  scores: readonly NamedMeasure[],
  settings: CompareSettings,
): ItemChange {
  const { pairs, itemId, changed } = item
  const passDelta = deltaOf(passed)
  const scoreDeltas = changed
    ? {}
    : numbersBy(scores, ({ paired }) => (paired === null ? null : paired.after - paired.before))
  const status = statusOf(item, passDelta, scoreDeltas, settings)
  return {
    itemId,
    status,
    change: changeOf({ status, passDelta }),
    pairs: pairs.length,
    passDelta,
    flips: flipsOf(item),
    baselineScores: numbersBy(scores, ({ paired, before }) => paired?.before ?? before),
    candidateScores: numbersBy(scores, ({ paired, after }) => paired?.after ?? after),
    scoreDeltas,
    costDeltaUsd: deltaOf(amounts.costUsd),
    tokensDelta: deltaOf(amounts.tokens),
    durationDeltaMs: deltaOf(amounts.durationMs),
  }
}

/** A regression outweighs an improvement: one score up and one down is a regression. */
function statusOf(
  { before, after, changed }: PairedItem,
  passDelta: number | null,
  scoreDeltas: Readonly<Record<string, number>>,
  { toleranceOf }: CompareSettings,
): ItemChangeStatus {
  if (before.length === 0) return 'new'
  if (after.length === 0) return 'removed'
  const keys = Object.keys(scoreDeltas)
  if (changed || (passDelta === null && keys.length === 0)) return 'undetermined'
  if ((passDelta ?? 0) < 0 || keys.some((key) => (scoreDeltas[key] ?? 0) < -toleranceOf(key))) return 'regressed'
  if ((passDelta ?? 0) > 0 || keys.some((key) => (scoreDeltas[key] ?? 0) > toleranceOf(key))) return 'improved'
  return 'unchanged'
}

function flipsOf({ pairs, changed }: PairedItem): readonly Flip[] {
  if (changed) return []
  const flips: Flip[] = []
  for (const { before, after } of pairs)
    if (before.passed !== after.passed)
      flips.push({ repetition: after.repetition, from: before.passed, to: after.passed })
  return flips
}

function numbersBy(
  scores: readonly NamedMeasure[],
  numberOf: (score: NamedMeasure) => number | null,
): Readonly<Record<string, number>> {
  const numbers: Record<string, number> = {}
  for (const score of scores) {
    const number = numberOf(score)
    if (number !== null) numbers[score.name] = number
  }
  return numbers
}

function deltaOf(sides: BothSides | null): number | null {
  return sides === null ? null : sides.after - sides.before
}

/** The flips of items so far; of items with repetitions the pairs, and how many of them chance alone would flip. */
export interface FlipSums {
  pairs: number
  better: number
  worse: number
  known: number
  expected: number
}

/** Adds the flips of an item. */
export function addFlips(sums: FlipSums, item: PairedItem): void {
  let decided = 0
  for (const { before, after } of item.pairs) {
    if (before.passed === null || after.passed === null) continue
    decided += 1
    if (before.passed === after.passed) continue
    if (after.passed) sums.better += 1
    else sums.worse += 1
  }
  sums.pairs += decided
  const disagreement = withinRuns(item)
  if (disagreement === null) return
  sums.known += decided
  sums.expected += decided * disagreement
}

/** Items with one repetition are taken to be as steady as those that show how steady they are. */
export function flipCounts({ known, expected, ...counts }: FlipSums): FlipCounts {
  return { ...counts, byChance: known === 0 ? null : (expected / known) * counts.pairs }
}

/** How often two repetitions of an item in one run differ: the mean of both runs, or the one that has repetitions. */
function withinRuns({ before, after }: PairedItem): number | null {
  // Most long runs have one repetition, and nothing to find here.
  if (before.length < 2 && after.length < 2) return null
  const [one, other] = [disagreementOf(before), disagreementOf(after)]
  return one === null || other === null ? (one ?? other) : (one + other) / 2
}

/**
 * The share of pairs of repetitions with one pass and one fail: k(n − k) of n(n − 1)/2. It is the unbiased estimate
 * of how often two trials of the item differ, 2p(1 − p) (Hoeffding 1948, Annals of Mathematical Statistics 19:293).
 */
function disagreementOf(trials: readonly Trial[]): number | null {
  let [decided, passed] = [0, 0]
  for (const trial of trials) {
    if (trial.passed === null) continue
    decided += 1
    passed += Number(trial.passed)
  }
  return decided < 2 ? null : (2 * passed * (decided - passed)) / (decided * (decided - 1))
}
