import type { BriefTrial } from '../result/trial-brief.js'
import type { FlipCounts } from './comparison.js'
import type { PairedItem } from './pair-trials.js'

/** Counts flips item by item. */
export interface FlipTally {
  add(item: PairedItem): void
  counts(): FlipCounts
}

/** No flip yet. */
export function flipTally(): FlipTally {
  let [pairs, better, worse, known, expected] = [0, 0, 0, 0, 0]

  return {
    add(item) {
      if (item.changed) return
      const decided = item.pairs.filter(({ before, after }) => before.passed !== null && after.passed !== null)
      pairs += decided.length
      for (const { before, after } of decided) {
        if (!before.passed && after.passed) better += 1
        if (before.passed && !after.passed) worse += 1
      }
      const disagreement = withinRuns(item)
      if (disagreement === null) return
      known += decided.length
      expected += decided.length * disagreement
    },
    // Items with one repetition are taken to be as steady as those that show how steady they are.
    counts: () => ({ pairs, better, worse, byChance: known === 0 ? null : (expected / known) * pairs }),
  }
}

/** How often two repetitions of an item in one run differ: the mean of both runs, or the one that has repetitions. */
function withinRuns({ before, after }: PairedItem): number | null {
  const sides = [before, after].flatMap((trials) => disagreementOf(trials) ?? [])
  return sides.length === 0 ? null : sides.reduce((sum, side) => sum + side, 0) / sides.length
}

/**
 * The share of pairs of repetitions of which one passed and one failed: k(n − k) of n(n − 1)/2. It is the unbiased estimate
 * of how often two trials of the item differ, 2p(1 − p) (Hoeffding 1948, Annals of Mathematical Statistics 19:293).
 */
function disagreementOf(trials: readonly BriefTrial[]): number | null {
  let [decided, passed] = [0, 0]
  for (const trial of trials) {
    if (trial.passed === null) continue
    decided += 1
    passed += Number(trial.passed)
  }
  return decided < 2 ? null : (2 * passed * (decided - passed)) / (decided * (decided - 1))
}
