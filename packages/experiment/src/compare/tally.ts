import { normalQuantile } from '../result/statistics/distributions.js'
import { mcnemarExact } from '../result/statistics/paired-tests.js'
import { trialChecks, trialJudges } from '../result/trial-evidence.js'
import type { Trial } from '../result/trial-figures.js'
import { addFlips, changeCounts, type FlipSums, flipCounts, itemChange } from './changes.js'
import { type CompareSettings, defaultAlpha } from './compare-options.js'
import type { Comparison, ComparisonConclusion, ItemChange, SignTest } from './comparison.js'
import {
  addNamed,
  addSides,
  deltasOf,
  meanTest,
  type NamedColumns,
  namedComparisons,
  namedDeltas,
  type PairedColumn,
  pairedColumn,
  pairedDelta,
  pairedRateDelta,
} from './measure-tests.js'
import type { PairedItem } from './measures.js'
import { bothSides, itemAmounts, namedMeasures, passedNumber } from './measures.js'

/** The parts of a comparison that follow from its items. */
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
  /** Ids of items that are another task in the other run. */
  readonly changedItems: readonly string[]
}

/** Adds up a comparison item by item; nothing is kept of an item but its change and its numbers. */
export function itemTotals(paired: Iterable<PairedItem>, settings: CompareSettings): ItemTotals {
  const items: ItemChange[] = []
  const changedItems: string[] = []
  const counts = { improved: 0, regressed: 0, unchanged: 0, undetermined: 0, new: 0, removed: 0 }
  const flips: FlipSums = { pairs: 0, better: 0, worse: 0, known: 0, expected: 0 }
  const [scores, checks, efficiency]: readonly [NamedColumns, NamedColumns, NamedColumns] = [
    new Map(),
    new Map(),
    new Map(),
  ]
  const [passed, costUsd, tokens, durationMs] = [pairedColumn(), pairedColumn(), pairedColumn(), pairedColumn()]
  let pairs = 0
  let single = true
  for (const item of paired) {
    const measures = namedMeasures(item, (trial) => trial.scores)
    const sides = item.changed ? null : bothSides(item.pairs, passedNumber)
    const taken = itemAmounts(item)
    const change = itemChange(item, sides, taken, measures, settings)
    items.push(change)
    counts[change.status] += 1
    pairs += item.pairs.length
    if (item.changed) {
      changedItems.push(item.itemId)
      addNamed(
        scores,
        measures.map((measure) => ({ ...measure, paired: null })),
      )
      continue
    }
    single &&= sides === null || sides.pairs === 1
    addFlips(flips, item)
    addNamed(scores, measures)
    addNamed(checks, namedMeasures(item, trialChecks, failedCheck))
    addNamed(
      efficiency,
      namedMeasures(item, (trial) => trial.efficiency),
    )
    addSides(passed, sides)
    addSides(costUsd, taken.costUsd)
    addSides(tokens, taken.tokens)
    addSides(durationMs, taken.durationMs)
  }
  return {
    ...{ items, counts, pairs, changedItems },
    changes: changeCounts(items),
    passRate: passRateOf(passed, single, settings),
    flips: flipCounts(flips),
    scores: namedComparisons(scores, settings),
    checks: namedComparisons(checks, settings),
    efficiency: namedDeltas(efficiency, settings),
    costUsd: pairedDelta(costUsd, settings),
    tokens: pairedDelta(tokens, settings),
    durationMs: pairedDelta(durationMs, settings),
  }
}

/**
 * 0 for a check that is missing from a trial whose judge failed it, as when tests fail to load. `undefined` if the judge
 * did not get so far, or passed without the check.
 */
function failedCheck(trial: Trial, name: string): number | undefined {
  const judges = trialJudges(trial)
  for (const path in judges) if (judges[path] === 'fail' && name.startsWith(`${path} > `)) return 0
  return undefined
}

/**
 * The pass rate over the items that are decided on both sides, with its tests; `null` without such items.
 *
 * @param single whether every item has one decided pair
 */
function passRateOf(column: PairedColumn, single: boolean, settings: CompareSettings): Comparison['passRate'] {
  const delta = pairedRateDelta(column, settings)
  if (delta === null) return null
  const deltas = deltasOf(column)
  return { ...delta, test: signTest(deltas, single), permutation: meanTest(deltas) }
}

/** The sign test on items (Dixon and Mood 1946). With one decided pair an item it is McNemar's exact test. */
function signTest(deltas: readonly number[], single: boolean): SignTest {
  const worse = deltas.filter((delta) => delta < 0).length
  const better = deltas.filter((delta) => delta > 0).length
  return {
    method: single ? 'mcnemar-exact' : 'sign-exact',
    worse,
    better,
    same: deltas.length - worse - better,
    pValue: mcnemarExact(worse, better),
  }
}

/** The significance level of a comparison, also of one that was stored without it. */
export function significanceOf({ alpha }: Pick<Comparison, 'alpha'>): number {
  return alpha ?? defaultAlpha
}

/** The conclusion of a comparison, also of one that was written when the field was called `verdict`. */
export function conclusionIn(
  comparison: Comparison & { readonly verdict?: ComparisonConclusion },
): ComparisonConclusion {
  return comparison.conclusion ?? comparison.verdict
}

export function conclusionOf(
  passRate: Comparison['passRate'],
  { minimumPairs, alpha }: Pick<CompareSettings, 'minimumPairs' | 'alpha'>,
): ComparisonConclusion {
  if (passRate === null || passRate.items < minimumPairs) return 'insufficient-data'
  if (passRate.permutation.adjustedPValue > alpha) return 'no-difference-detected'
  return passRate.delta < 0 ? 'regressed' : 'improved'
}

/** How often a difference of the size that was seen is to be found. */
const power = 0.8

/**
 * The number of further items needed. For any conclusion: up to `minimumPairs`. To detect a difference as large as the
 * observed one, with as many items that differ: the sample size of McNemar's test (Connor 1987, Biometrics 43:207); where
 * items have repetitions, with differences as widely spread: that of a mean, corrected for few items (Guenther 1981, The
 * American Statistician 35:243). `null`: none, or no number would do because nothing points either way.
 */
export function moreItemsNeeded(
  conclusion: ComparisonConclusion,
  passRate: Comparison['passRate'],
  { minimumPairs, alpha }: Pick<CompareSettings, 'minimumPairs' | 'alpha'>,
): number | null {
  switch (conclusion) {
    case 'insufficient-data':
      return minimumPairs - (passRate?.items ?? 0)
    case 'no-difference-detected':
      return passRate === null ? null : moreToDetect(passRate, alpha)
    case 'improved':
    case 'regressed':
      return null
    default:
      return conclusion satisfies never
  }
}

type PassRate = NonNullable<Comparison['passRate']>

function moreToDetect(passRate: PassRate, alpha: number): number | null {
  const wanted = passRate.test.method === 'mcnemar-exact' ? pairsWanted(passRate, alpha) : itemsWanted(passRate, alpha)
  return wanted === null ? null : Math.max(1, Math.ceil(wanted) - passRate.items)
}

function pairsWanted({ items, test }: PassRate, alpha: number): number | null {
  const difference = Math.abs(test.better - test.worse) / items
  if (difference === 0) return null
  const differing = (test.better + test.worse) / items
  const [unlikely, found] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const root = unlikely * Math.sqrt(differing) + found * Math.sqrt(Math.max(0, differing - difference ** 2))
  return (root / difference) ** 2
}

/** As `accident` of means: repetitions that cancel each other out leave no difference. */
const noDifference = 1e-12

/** Of a mean of item differences, whose spread is known from the items there are. */
function itemsWanted({ items, delta, standardError }: PassRate, alpha: number): number | null {
  if (Math.abs(delta) < noDifference || standardError === null) return null
  const [unlikely, found] = [normalQuantile(1 - alpha / 2), normalQuantile(power)]
  const spread = standardError * Math.sqrt(items)
  return ((unlikely + found) * (spread / delta)) ** 2 + unlikely ** 2 / 2
}
