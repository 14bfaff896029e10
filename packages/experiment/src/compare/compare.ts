import { briefTrials } from '../result/brief-trials.js'
import type { ExperimentResult } from '../result/records.js'
import type { Summary } from '../result/summary.js'
import { summaryOf } from '../result/summary-of.js'
import { type CompareOptions, compareSettings } from './compare-options.js'
import type { Comparison, RunBrief } from './comparison.js'
import { comparisonNotes } from './comparison-notes.js'
import { comparisonTally } from './comparison-tally.js'
import { conditionDifferences } from './condition-differences.js'
import { moreItemsNeeded } from './more-items.js'
import { pairTrials } from './pair-trials.js'
import { verdictOf } from './pass-rate.js'

/**
 * Compares two runs item by item: trials of the same item and repetition are pairs, and every mean is one of items, so that
 * repetitions make an item surer and not heavier. Pure: nothing is read or written.
 *
 * @throws `conditions-differ` when the runs were measured under conditions that differ and may not, naming all;
 * `option-invalid`
 *
 * @example
 * const { verdict, passRate, items } = compare(baseline, candidate)
 * const regressed = items.filter(({ status }) => status === 'regressed')
 */
export function compare(baseline: ExperimentResult, candidate: ExperimentResult, options?: CompareOptions): Comparison {
  const settings = compareSettings(options)
  const differences = conditionDifferences(baseline, candidate, settings)
  const tally = comparisonTally(settings)
  const [before, after] = [briefTrials(baseline), briefTrials(candidate)]
  for (const item of pairTrials(before, after)) tally.add(item)
  const { pairs, changedItems, ...totals } = tally.totals()
  const verdict = verdictOf(totals.passRate, settings)
  const comparison = {
    baseline: briefOf(baseline),
    candidate: briefOf(candidate),
    ...totals,
    unpairedTrials: before.length + after.length - 2 * pairs,
    verdict,
    alpha: settings.alpha,
    moreItems: moreItemsNeeded(verdict, totals.passRate, settings),
    differences,
  }
  return { ...comparison, notes: comparisonNotes(comparison, changedItems) }
}

function briefOf(result: ExperimentResult): RunBrief {
  const { id, experimentName, variant, startedAt } = result
  let summary: Summary | undefined
  return {
    id,
    experimentName,
    variant,
    startedAt,
    get summary() {
      summary ??= summaryOf(result)
      return summary
    },
  }
}
