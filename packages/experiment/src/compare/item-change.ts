import { changeOf } from './change-of.js'
import type { CompareSettings } from './compare-options.js'
import type { Flip, ItemChange, ItemChangeStatus } from './comparison.js'
import type { BothSides, ItemAmounts } from './item-measures.js'
import type { NamedMeasure } from './named-measures.js'
import type { PairedItem } from './pair-trials.js'

/** What became of an item. An item that was another task on the other side has no deltas. */
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
