import { isPlainObject, optionInvalid } from '@jurist/core/internal'
import { countedApart } from '../result/quarantine.js'
import { summaryOf } from '../result/summarize.js'
import type { Summary } from '../result/summary.js'
import { type RunResult, trialsOf } from '../result/trial-figures.js'
import { type CompareOptions, checkAmounts, compareSettings } from './compare-options.js'
import type { ComparedRun, Comparison, ItemChange } from './comparison.js'
import { conditionDifferences } from './conditions.js'
import { pairTrials } from './measures.js'
import { comparisonNotes, judgeNotes, userFaultsIn } from './notes.js'
import { planFor, readComparison, readGrowing, type SequentialReading } from './sequential-reading.js'
import { conclusionOf, itemTotals, moreItemsNeeded } from './tally.js'

/**
 * Compares two runs item by item: trials of the same item and repetition are pairs, and every mean is one of items, so that
 * repetitions make the figures of an item more exact and give it no more weight. Pure: nothing is read or written.
 *
 * @throws `conditions-differ` when the runs were measured under conditions that differ and may not, naming all;
 * `option-invalid`
 *
 * @example
 * import { compare } from '@jurist/experiment/compare'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const { conclusion, passRate, items } = compare(aResult(), aResult())
 * const regressed = items.filter(({ status }) => status === 'regressed')
 */
export function compare(baseline: RunResult, candidate: RunResult, options?: CompareOptions): Comparison {
  const settings = compareSettings(options)
  const differences = conditionDifferences(baseline, candidate, settings)
  const plan = planFor(baseline, candidate)
  const planned = settings.sequential
    ? readGrowing(baseline, candidate, settings)
    : plan && readComparison(plan, baseline, candidate)
  const apart = countedApart(baseline, candidate)
  const countedOf = (run: RunResult) =>
    trialsOf(run).filter(({ itemId }) => !apart.has(itemId) && planned?.counted.has(itemId) !== false)
  const [before, after] = [countedOf(baseline), countedOf(candidate)]
  const { pairs, changedItems, ...whole } = itemTotals(pairTrials(before, after), settings)
  const sequential = planned?.reading
  const totals = sequential === undefined ? whole : { ...whole, passRate: stagewise(whole.passRate, sequential) }
  const hasUsers = [before, after].some((side) => side.some(({ user }) => user !== undefined))
  const userFaults = hasUsers ? userFaultsIn(pairTrials(before, after), settings.alpha) : null
  // Different fault rates of simulated users bias the remaining trials, so nothing is concluded.
  const conclusion = userFaults?.differs === true ? 'insufficient-data' : conclusionOf(totals.passRate, settings)
  const comparison = {
    baseline: comparedRun(baseline),
    candidate: comparedRun(candidate),
    ...totals,
    unpairedTrials: before.length + after.length - 2 * pairs,
    ...(apart.size === 0 ? {} : { quarantined: [...apart].sort() }),
    ...(userFaults === null ? {} : { userFaults }),
    ...(sequential === undefined ? {} : { sequential }),
    conclusion,
    alpha: settings.alpha,
    moreItems:
      userFaults?.differs === true || (sequential !== undefined && conclusion !== 'insufficient-data')
        ? null
        : moreItemsNeeded(conclusion, totals.passRate, settings),
    differences,
  }
  const notes = [...judgeNotes('baseline', baseline), ...judgeNotes('candidate', candidate)]
  return { ...comparison, notes: [...notes, ...comparisonNotes(comparison, changedItems)] }
}

/** The test that counts every look, and where it stopped early an interval that holds there. A comparison that is not over has no p value. */
function stagewise(
  passRate: Comparison['passRate'],
  { pValue, interval, alpha, comparisons, planned }: SequentialReading,
): Comparison['passRate'] {
  if (passRate === null) return null
  const p = pValue ?? 1
  const method = planned === null ? 'anytime' : 'stagewise'
  const permutation = {
    method,
    pValue: p,
    adjustedPValue: Math.min(1, p * comparisons),
    tests: comparisons,
  } as const
  const bounds = interval === null ? passRate.interval : { ...interval, level: 1 - alpha, method: 'sequential' }
  return { ...passRate, permutation, interval: bounds }
}

function comparedRun(result: RunResult): ComparedRun {
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

/** Binary fractions: a drop of exactly the threshold is not below it. */
const accident = 1e-9

/**
 * The items that regressed by more than is allowed: status `regressed`, and a score that is listed fell by more than its
 * threshold. Items that only one run has are never among them.
 *
 * @param thresholds the most that a score may fall on an item, by score
 * @throws `option-invalid` for a threshold that is not a finite number of at least 0
 *
 * @example
 * import { compare, detectRegressions } from '@jurist/experiment/compare'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const comparison = compare(aResult(), aResult())
 * detectRegressions(comparison, { 'rules/build': 0, 'meaning/correct': 0.2 }).map(({ itemId }) => itemId)
 */
export function detectRegressions(
  comparison: Comparison,
  thresholds: Readonly<Record<string, number>>,
): readonly ItemChange[] {
  if (!isPlainObject(thresholds)) optionInvalid('thresholds', 'detectRegressions: give "thresholds", numbers by score.')
  checkAmounts('detectRegressions', 'thresholds', thresholds)
  const listed = Object.entries(thresholds)
  return comparison.items.filter(
    ({ status, scoreDeltas }) =>
      status === 'regressed' &&
      listed.some(
        ([key, threshold]) => Object.hasOwn(scoreDeltas, key) && (scoreDeltas[key] ?? 0) < -threshold - accident,
      ),
  )
}
