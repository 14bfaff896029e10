import type { BriefTrial } from '../result/trial-brief.js'
import type { Comparison } from './comparison.js'
import { adjustedScores, adjustedTests } from './measure-tests.js'
import { sizeNote } from './notes.js'
import { conclusionIn, conclusionOf, moreItemsNeeded, significanceOf } from './tally.js'

/** The trials of one item with the same repetition. */
export interface TrialPair {
  readonly before: BriefTrial
  readonly after: BriefTrial
}

/** The trials of one item on both sides. */
export interface PairedItem {
  readonly itemId: string
  readonly before: readonly BriefTrial[]
  readonly after: readonly BriefTrial[]
  readonly pairs: readonly TrialPair[]
  /** Whether the item was another task on the other side. */
  readonly changed: boolean
}

/** The items of two runs with their trials paired by repetition: the candidate's order, then what only the baseline has. */
export function* pairTrials(
  baseline: readonly BriefTrial[],
  candidate: readonly BriefTrial[],
): Generator<PairedItem, void> {
  if (standSideBySide(baseline, candidate)) {
    for (const [index, trial] of candidate.entries()) {
      const partner = baseline[index]
      yield pairedItem(trial.itemId, partner === undefined ? [] : [partner], [trial])
    }
    return
  }
  const [before, after] = [byItem(baseline), byItem(candidate)]
  for (const [itemId, trials] of after) yield pairedItem(itemId, before.get(itemId) ?? [], trials)
  for (const [itemId, trials] of before) if (!after.has(itemId)) yield pairedItem(itemId, trials, [])
}

/** Whether both sides have the same items in the same order, each once: most long runs do, and need no tables. */
function standSideBySide(baseline: readonly BriefTrial[], candidate: readonly BriefTrial[]): boolean {
  if (baseline.length !== candidate.length) return false
  const ids = new Set<string>()
  for (const [index, { itemId }] of candidate.entries()) {
    if (baseline[index]?.itemId !== itemId) return false
    ids.add(itemId)
  }
  return ids.size === candidate.length
}

function byItem(items: readonly BriefTrial[]): ReadonlyMap<string, readonly BriefTrial[]> {
  const groups = new Map<string, BriefTrial[]>()
  for (const item of items) {
    const group = groups.get(item.itemId)
    if (group === undefined) groups.set(item.itemId, [item])
    else group.push(item)
  }
  return groups
}

function pairedItem(itemId: string, before: readonly BriefTrial[], after: readonly BriefTrial[]): PairedItem {
  const pairs: TrialPair[] = []
  for (const trial of after) {
    const partner = repeated(before, trial.repetition)
    if (partner !== undefined) pairs.push({ before: partner, after: trial })
  }
  return { itemId, before, after, pairs, changed: pairs.some(isChanged) }
}

function repeated(trials: readonly BriefTrial[], repetition: number): BriefTrial | undefined {
  for (const trial of trials) if (trial.repetition === repetition) return trial
  return undefined
}

function isChanged({ before, after }: TrialPair): boolean {
  return before.itemHash !== after.itemHash
}

/**
 * Comparisons that are read together, as those of the variants of one session: the p values of all their pass rates are
 * raised by Holm's method, and so are those of all their scores and of all their checks. Twenty variants of one agent would
 * else have one in two sessions that looks better or worse. Verdicts, `moreItems` and notes follow.
 *
 * One comparison alone stays as it is. What was read together before may be again, with others.
 *
 * @example
 * const [careful, hasty] = comparedTogether([compare(control, first), compare(control, second)])
 */
export function comparedTogether(comparisons: readonly Comparison[]): readonly Comparison[] {
  const scores = adjustedScores(comparisons.map((one) => one.scores))
  const checks = adjustedScores(comparisons.map((one) => one.checks))
  const rates = adjustedRates(comparisons)
  return comparisons.map((one, index) =>
    settled({
      ...one,
      scores: scores[index] ?? one.scores,
      checks: checks[index] ?? one.checks,
      passRate: rates[index] ?? one.passRate,
    }),
  )
}

/** Comparisons that were stored before there were permutation tests have none, and stay as they are. */
function adjustedRates(comparisons: readonly Comparison[]): readonly Comparison['passRate'][] {
  const tests = comparisons.flatMap(({ passRate }) => passRate?.permutation ?? [])
  const adjusted = adjustedTests(tests)
  return comparisons.map(({ passRate }) => {
    const permutation = passRate === null ? undefined : adjusted[tests.indexOf(passRate.permutation)]
    return passRate === null || permutation === undefined ? passRate : { ...passRate, permutation }
  })
}

/** The conclusion after its p value has changed, and what is said of it. */
function settled(comparison: Comparison): Comparison {
  const { passRate, notes } = comparison
  const before = conclusionIn(comparison)
  if (before === 'insufficient-data' || passRate?.permutation === undefined) return comparison
  const alpha = significanceOf(comparison)
  const conclusion = conclusionOf(passRate, { alpha, minimumPairs: 1 })
  if (conclusion === before) return comparison
  // The smallest of several p values has to be so much smaller to be found.
  const moreItems = moreItemsNeeded(conclusion, passRate, {
    alpha: alpha / passRate.permutation.tests,
    minimumPairs: 1,
  })
  const said = sizeNote({ ...comparison, conclusion: before })
  const others = notes.filter((note) => !said.includes(note))
  return { ...comparison, conclusion, moreItems, notes: [...sizeNote({ conclusion, passRate, moreItems }), ...others] }
}
