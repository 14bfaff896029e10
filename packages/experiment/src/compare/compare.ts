import { JuristError } from '@jurist/core'
import { checkOptions, isPlainObject, type OptionRule, option, printed } from '@jurist/core/internal'
import { briefTrials } from '../result/brief-trials.js'
import type { ExperimentResult } from '../result/records.js'
import { summaryOf } from '../result/summarize.js'
import type { Summary } from '../result/summary.js'
import type { Comparison, ItemChange, RunBrief } from './comparison.js'
import { comparisonNotes, conditionDifferences } from './notes.js'
import { pairTrials } from './pair-trials.js'
import { comparisonTally, conclusionOf, moreItemsNeeded } from './tally.js'

/**
 * Compares two runs item by item: trials of the same item and repetition are pairs, and every mean is one of items, so that
 * repetitions make an item surer and not heavier. Pure: nothing is read or written.
 *
 * @throws `conditions-differ` when the runs were measured under conditions that differ and may not, naming all;
 * `option-invalid`
 *
 * @example
 * const { conclusion, passRate, items } = compare(baseline, candidate)
 * const regressed = items.filter(({ status }) => status === 'regressed')
 */
export function compare(baseline: ExperimentResult, candidate: ExperimentResult, options?: CompareOptions): Comparison {
  const settings = compareSettings(options)
  const differences = conditionDifferences(baseline, candidate, settings)
  const tally = comparisonTally(settings)
  const [before, after] = [briefTrials(baseline), briefTrials(candidate)]
  for (const item of pairTrials(before, after)) tally.add(item)
  const { pairs, changedItems, ...totals } = tally.totals()
  const conclusion = conclusionOf(totals.passRate, settings)
  const comparison = {
    baseline: briefOf(baseline),
    candidate: briefOf(candidate),
    ...totals,
    unpairedTrials: before.length + after.length - 2 * pairs,
    conclusion,
    alpha: settings.alpha,
    moreItems: moreItemsNeeded(conclusion, totals.passRate, settings),
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

/** Binary fractions: a drop of exactly the threshold is not below it. */
const accident = 1e-9

/**
 * The items that regressed by more than is allowed: status `regressed`, and a score that is listed fell by more than its
 * threshold. Items that only one run has are never among them.
 *
 * @param thresholds the most that a score may fall on an item, by score
 * @throws `option-invalid` for a threshold that is no finite number of at least 0
 *
 * @example
 * detectRegressions(comparison, { 'rules/build': 0, 'meaning/correct': 0.2 }).map(({ itemId }) => itemId)
 */
export function detectRegressions(
  comparison: Comparison,
  thresholds: Readonly<Record<string, number>>,
): readonly ItemChange[] {
  if (!isPlainObject(thresholds))
    throw new JuristError('option-invalid', 'detectRegressions: give "thresholds", numbers by score.', {
      option: 'thresholds',
    })
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

/** How two runs are compared. */
export interface CompareOptions {
  /** The largest difference of a score that counts as none; one number, or by score. Default 1e-9. */
  readonly tolerance?: number | Readonly<Record<string, number>>
  /** The significance level of the conclusion. Default 0.05. */
  readonly alpha?: number
  /** Of intervals. Default 0.95. */
  readonly level?: number
  /**
   * Of the plain percentile bootstrap. Default: 10,000 of one that is widened for few items, and above 2,000 items a normal
   * interval, where all of them agree.
   */
  readonly resamples?: number
  /** Of the bootstrap. Default 1. */
  readonly seed?: number
  /** Items below which the data are insufficient. Default 10. */
  readonly minimumPairs?: number
  /** Conditions that may differ. Default: what experiments vary, and what the variants' own `conditions` name. */
  readonly vary?: readonly string[]
  /** Compare although conditions differ: all (`true`), or those named. */
  readonly ignoreConditions?: boolean | readonly string[]
}

/** Checked options. */
export interface CompareSettings {
  readonly toleranceOf: (key: string) => number
  readonly alpha: number
  readonly level: number
  readonly resamples: number | undefined
  readonly seed: number
  readonly minimumPairs: number
  readonly vary: readonly string[] | undefined
  readonly ignores: (condition: string) => boolean
}

const defaultTolerance = 1e-9

/** The significance level of a conclusion. */
export const defaultAlpha = 0.05

const openRate: OptionRule = {
  wants: 'a number between 0 and 1',
  holds: (value) => typeof value === 'number' && value > 0 && value < 1,
}

const rules = {
  tolerance: option.either(option.nonNegative, option.record),
  alpha: openRate,
  level: openRate,
  resamples: option.integer(1),
  seed: option.integer(Number.MIN_SAFE_INTEGER),
  minimumPairs: option.integer(1),
  vary: option.strings,
  ignoreConditions: option.either(option.boolean, option.strings),
}

/**
 * Checks the options of `compare`.
 *
 * @throws `option-invalid` naming everything that is wrong
 */
function compareSettings(options?: CompareOptions): CompareSettings {
  const given = checkOptions('compare', options, rules)
  const {
    tolerance = defaultTolerance,
    alpha = defaultAlpha,
    level = 0.95,
    resamples,
    seed = 1,
    minimumPairs = 10,
  } = given
  const { vary, ignoreConditions = false } = given
  if (typeof tolerance !== 'number') checkAmounts('compare', 'tolerance', tolerance)
  return {
    toleranceOf: (key) => (typeof tolerance === 'number' ? tolerance : (tolerance[key] ?? defaultTolerance)),
    alpha,
    level,
    resamples,
    seed,
    minimumPairs,
    vary,
    ignores: (condition) =>
      typeof ignoreConditions === 'boolean' ? ignoreConditions : ignoreConditions.includes(condition),
  }
}

/** Refuses a record of numbers by score in which one is no finite number of at least 0. */
function checkAmounts(where: string, name: string, amounts: Readonly<Record<string, number>>): void {
  const bad = Object.entries(amounts).filter(([, amount]) => !(Number.isFinite(amount) && amount >= 0))
  if (bad.length === 0) return
  const said = bad.map(
    ([key, amount]) => `"${name}" of ${key} must be a finite number of at least 0, not ${printed(amount)}`,
  )
  throw new JuristError('option-invalid', `${where}: ${said.join('; ')}.`, { option: name })
}
