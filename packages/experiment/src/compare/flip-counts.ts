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
      let decided = 0
      for (const { before, after } of item.pairs) {
        if (before.passed === null || after.passed === null) continue
        decided += 1
        if (before.passed === after.passed) continue
        if (after.passed) better += 1
        else worse += 1
      }
      pairs += decided
      const disagreement = withinRuns(item)
      if (disagreement === null) return
      known += decided
      expected += decided * disagreement
    },
    // Items with one repetition are taken to be as steady as those that show how steady they are.
    counts: () => ({ pairs, better, worse, byChance: known === 0 ? null : (expected / known) * pairs }),
  }
}

/** How often two repetitions of an item in one run differ: the mean of both runs, or the one that has repetitions. */
function withinRuns({ before, after }: PairedItem): number | null {
  // Most long runs have one repetition, and nothing to find here.
  if (before.length < 2 && after.length < 2) return null
  const [one, other] = [disagreementOf(before), disagreementOf(after)]
  return one === null || other === null ? (one ?? other) : (one + other) / 2
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
