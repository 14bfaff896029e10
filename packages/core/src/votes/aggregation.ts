import { freeze } from '../freeze.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { categoryOf } from './category.js'
import { totalWeight } from './weights.js'

/** One judgment in a vote: who said it, and how much it counts where the vote weighs. */
export interface Ballot {
  readonly name: string
  readonly judgment: Judgment
  readonly weight: number
}

/**
 * What an ERROR ballot counts as: a fail, an abstention, nothing at all (left out of every count), or an ERROR of the
 * whole vote: always, or only where the outcome depends on it.
 */
export type OnError = 'fail' | 'abstain' | 'ignore' | 'propagate' | 'propagate-if-decisive'

export type AggregationStrategy = 'majority' | 'plurality' | 'consensus' | 'average' | 'weightedAverage' | 'median'

/** The denominators of a vote: `eligibleCount` is always `passCount + failCount`. Kept at `metadata.aggregation`. */
export interface Aggregation {
  readonly strategy: AggregationStrategy
  readonly onError: OnError
  /** All ballots received. */
  readonly inputCount: number
  /** Those that decided. */
  readonly eligibleCount: number
  /** Abstentions, and errors counted as such. */
  readonly abstainCount: number
  /** Errors received, whatever they count as. */
  readonly errorCount: number
  /** Errors left out by `ignore`. */
  readonly ignoredErrorCount: number
  readonly passCount: number
  readonly failCount: number
  /** `weightedAverage` only: the weight of all ballots. */
  readonly inputWeight?: number
  /** `weightedAverage` only: the weight of those that decided. */
  readonly eligibleWeight?: number
  /** `plurality` only: how many said which category. */
  readonly categories?: { readonly [category: string]: number }
  /** The options of the vote with every default filled in, so that it can be cast again. */
  readonly options: JsonObject
}

/** A ballot that decides; an error that is read as a fail has the score 0, one that is read as a pass has 1. */
export interface EligibleBallot {
  readonly passed: boolean
  readonly score: number
  readonly weight: number
  /** Absent where the judgment is an error, or where its category rests on one and is read either way. */
  readonly judgment?: Judgment
}

/** What a vote is, beside the way it decides. */
interface NamedVote {
  readonly name: AggregationStrategy
  readonly options: JsonObject & { readonly onError: OnError }
}

/** Counts what was received, and what of it decides. */
export function aggregationOf(
  { name, options }: NamedVote,
  ballots: readonly Ballot[],
  eligible: readonly EligibleBallot[],
): Aggregation {
  const { onError } = options
  const count = { pass: 0, fail: 0, abstain: 0, error: 0 }
  for (const { judgment } of ballots) count[judgment.status]++
  const passCount = eligible.filter(({ passed }) => passed).length
  return {
    strategy: name,
    onError,
    inputCount: ballots.length,
    eligibleCount: eligible.length,
    abstainCount: count.abstain + (onError === 'abstain' ? count.error : 0),
    errorCount: count.error,
    ignoredErrorCount: onError === 'ignore' ? count.error : 0,
    passCount,
    failCount: eligible.length - passCount,
    ...(name === 'weightedAverage' ? { inputWeight: totalWeight(ballots), eligibleWeight: totalWeight(eligible) } : {}),
    ...(name === 'plurality' ? { categories: categoryCounts(eligible) } : {}),
    options,
  }
}

function categoryCounts(eligible: readonly EligibleBallot[]): { readonly [category: string]: number } {
  const counts = new Map<string, number>()
  for (const { judgment } of eligible) {
    if (judgment === undefined) continue
    const category = categoryOf(judgment)
    counts.set(category, (counts.get(category) ?? 0) + 1)
  }
  return freeze(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** `2 of 3 passed, 1 abstained`: the counts in words, without errors that are ignored. */
export function tally({ onError, passCount, eligibleCount, abstainCount, errorCount }: Aggregation): string {
  const errors = onError === 'fail' && errorCount > 0 ? `, ${errorCount} of them errors counted as fails` : ''
  const abstentions = abstainCount > 0 ? `, ${abstainCount} abstained` : ''
  return `${passCount} of ${eligibleCount} passed${errors}${abstentions}`
}
