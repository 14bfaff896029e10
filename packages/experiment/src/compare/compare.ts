import type { ExperimentResult } from '../result/records.js'
import { summaryOf } from '../result/summary-of.js'
import { type CompareOptions, type CompareSettings, compareSettings } from './compare-options.js'
import type { Comparison, ItemChangeStatus, PairedDelta, RunBrief } from './comparison.js'
import { comparisonNotes } from './comparison-notes.js'
import { conditionDifferences } from './condition-differences.js'
import { type ComparedItem, comparedItem } from './item-change.js'
import { bothSides, checkNumbers, type Measure, tokenNumber } from './item-measures.js'
import { moreItemsNeeded } from './more-items.js'
import { namedMeasures } from './named-measures.js'
import { pairTrials } from './pair-trials.js'
import { pairedDelta } from './paired-delta.js'
import { passRateOf, verdictOf } from './pass-rate.js'
import { scoreComparisons } from './score-comparison.js'

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
  const paired = pairTrials(baseline.items, candidate.items)
  const compared = paired.map((item) =>
    comparedItem(
      item,
      namedMeasures(item, ({ scores }) => scores),
      settings,
    ),
  )
  const passRate = passRateOf(
    compared.flatMap(({ passed }) => passed ?? []),
    settings,
  )
  const verdict = verdictOf(passRate, settings)
  const comparison = {
    baseline: briefOf(baseline),
    candidate: briefOf(candidate),
    items: compared.map(({ change }) => change),
    counts: countsOf(compared),
    unpairedTrials: baseline.items.length + candidate.items.length - 2 * pairsOf(compared),
    passRate,
    ...numbersOf(compared, settings),
    verdict,
    moreItems: moreItemsNeeded(verdict, passRate, settings),
    differences,
  }
  const changed = paired.flatMap((item) => (item.changed ? item.itemId : []))
  return { ...comparison, notes: comparisonNotes(comparison, changed) }
}

function briefOf(result: ExperimentResult): RunBrief {
  const { id, experimentName, variant, startedAt } = result
  return { id, experimentName, variant, startedAt, summary: summaryOf(result) }
}

function countsOf(compared: readonly ComparedItem[]): Comparison['counts'] {
  const counts: Record<ItemChangeStatus, number> = {
    improved: 0,
    regressed: 0,
    unchanged: 0,
    undetermined: 0,
    new: 0,
    removed: 0,
  }
  for (const { change } of compared) counts[change.status] += 1
  return counts
}

function pairsOf(compared: readonly ComparedItem[]): number {
  return compared.reduce((sum, { item }) => sum + item.pairs.length, 0)
}

/** Everything that is measured beside passing. */
function numbersOf(
  compared: readonly ComparedItem[],
  settings: CompareSettings,
): Pick<Comparison, 'scores' | 'checks' | 'efficiency' | 'costUsd' | 'tokens' | 'durationMs'> {
  const comparable = compared.flatMap(({ item }) => (item.changed ? [] : item))
  const efficiencies = scoreComparisons(
    comparable.map((item) => namedMeasures(item, ({ efficiency }) => efficiency)),
    settings,
  )
  const delta = (measure: Measure) =>
    pairedDelta(
      comparable.flatMap(({ pairs }) => bothSides(pairs, measure) ?? []),
      settings,
    )
  return {
    scores: scoreComparisons(
      compared.map(({ scores }) => scores),
      settings,
    ),
    checks: scoreComparisons(
      comparable.map((item) => namedMeasures(item, checkNumbers)),
      settings,
    ),
    efficiency: Object.fromEntries(
      Object.entries(efficiencies).flatMap(([name, comparison]) => {
        const paired = withPairs(comparison)
        return paired === null ? [] : [[name, paired]]
      }),
    ),
    costUsd: delta(({ costUsd }) => costUsd),
    tokens: delta(tokenNumber),
    durationMs: delta(({ durationMs }) => durationMs),
  }
}

/** Without what belongs to scores alone; `null` when no item has it on both sides. */
function withPairs({
  items,
  baselineMean,
  candidateMean,
  delta,
  standardError,
  interval,
}: Comparison['scores'][string]): PairedDelta | null {
  if (baselineMean === null || candidateMean === null || delta === null) return null
  return { items, baselineMean, candidateMean, delta, standardError, interval }
}
