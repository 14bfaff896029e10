import { type BriefTrial, trialChecks, trialFailedJudges } from '../result/trial-brief.js'
import { changeCounts } from './change-of.js'
import type { CompareSettings } from './compare-options.js'
import type { Comparison, ItemChange, ItemChangeStatus } from './comparison.js'
import { flipTally } from './flip-counts.js'
import { itemChange } from './item-change.js'
import { bothSides, itemAmounts, passedNumber } from './item-measures.js'
import { measureColumn, namedColumns } from './measure-columns.js'
import { namedMeasures } from './named-measures.js'
import type { PairedItem } from './pair-trials.js'
import { pairedDelta } from './paired-delta.js'
import { passRateOf } from './pass-rate.js'

/** What is known of a comparison from its items. */
type ItemTotals = Pick<
  Comparison,
  | 'items'
  | 'counts'
  | 'changes'
  | 'passRate'
  | 'flips'
  | 'scores'
  | 'checks'
  | 'efficiency'
  | 'costUsd'
  | 'tokens'
  | 'durationMs'
> & {
  readonly pairs: number
  /** Ids of items that set another task. */
  readonly changedItems: readonly string[]
}

/** Adds up a comparison item by item; nothing is kept of an item but its change and its numbers. */
export interface ComparisonTally {
  add(item: PairedItem): void
  totals(): ItemTotals
}

/** A comparison of no item yet. */
export function comparisonTally(settings: CompareSettings): ComparisonTally {
  const items: ItemChange[] = []
  const changedItems: string[] = []
  const counts = noChanges()
  const [scores, checks, efficiency] = [namedColumns(), namedColumns(), namedColumns()]
  const [passed, flips] = [measureColumn(), flipTally()]
  const amounts = { costUsd: measureColumn(), tokens: measureColumn(), durationMs: measureColumn() }
  let pairs = 0
  let single = true

  return {
    add(item) {
      const measures = namedMeasures(item, (trial) => trial.scores)
      const sides = item.changed ? null : bothSides(item.pairs, passedNumber)
      const taken = itemAmounts(item)
      const change = itemChange(item, sides, taken, measures, settings)
      items.push(change)
      counts[change.status] += 1
      pairs += item.pairs.length
      if (item.changed) {
        changedItems.push(item.itemId)
        scores.add(measures.map((measure) => ({ ...measure, paired: null })))
        return
      }
      single &&= sides === null || sides.pairs === 1
      passed.add(sides)
      flips.add(item)
      scores.add(measures)
      checks.add(namedMeasures(item, trialChecks, failedCheck))
      efficiency.add(namedMeasures(item, (trial) => trial.efficiency))
      amounts.costUsd.add(taken.costUsd)
      amounts.tokens.add(taken.tokens)
      amounts.durationMs.add(taken.durationMs)
    },
    totals: () => ({
      items,
      counts,
      changes: changeCounts(items),
      pairs,
      changedItems,
      passRate: passRateOf(passed, single, settings),
      flips: flips.counts(),
      scores: scores.comparisons(settings),
      checks: checks.comparisons(settings),
      efficiency: efficiency.deltas(settings),
      costUsd: pairedDelta(amounts.costUsd, settings),
      tokens: pairedDelta(amounts.tokens, settings),
      durationMs: pairedDelta(amounts.durationMs, settings),
    }),
  }
}

function noChanges(): Record<ItemChangeStatus, number> {
  return { improved: 0, regressed: 0, unchanged: 0, undetermined: 0, new: 0, removed: 0 }
}

/**
 * 0 for a check that the trial does not have although its judge failed it, as tests do that do not even load. A judge that
 * did not get so far, or passed without the check, says nothing about it.
 */
function failedCheck(trial: BriefTrial, name: string): number | undefined {
  return trialFailedJudges(trial).some((path) => name.startsWith(`${path} > `)) ? 0 : undefined
}
