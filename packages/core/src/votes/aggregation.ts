import { JuristError } from '../errors.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { option, printed } from '../options.js'

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

/** The denominators of a vote: `eligibleCount` is always `passCount + failCount`. Kept at `metadata.aggregation`. */
export interface Aggregation {
  /** The name of the vote. */
  readonly strategy: string
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
  readonly options: JsonObject & { readonly onError: OnError }
}

/** A ballot that decides; an error that is read as a fail has the score 0, one that is read as a pass has 1. */
export interface EligibleBallot {
  readonly passed: boolean
  readonly score: number
  readonly weight: number
  /** Absent where the judgment is an error, or where its category rests on one and is read either way. */
  readonly judgment?: Judgment
}

/** Counts that only some votes have. */
export type ExtraCounts = (
  ballots: readonly Ballot[],
  eligible: readonly EligibleBallot[],
) => Pick<Aggregation, 'inputWeight' | 'eligibleWeight' | 'categories'>

/** Counts what was received, and what decides. */
export function aggregationOf(
  {
    name,
    options,
    counts,
  }: { readonly name: string; readonly options: Aggregation['options']; readonly counts?: ExtraCounts },
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
    ...counts?.(ballots, eligible),
    options,
  }
}

/** `2 of 3 passed, 1 abstained`: the counts in words, without errors that are ignored. */
export function tally({ onError, passCount, eligibleCount, abstainCount, errorCount }: Aggregation): string {
  const errors = onError === 'fail' && errorCount > 0 ? `, ${errorCount} of them errors counted as fails` : ''
  const abstentions = abstainCount > 0 ? `, ${abstainCount} abstained` : ''
  return `${passCount} of ${eligibleCount} passed${errors}${abstentions}`
}

/** What has a weight: a ballot, or a member. */
export interface Weighted {
  readonly name: string
  readonly weight: number
}

/**
 * Refuses weights with which nothing can be weighed.
 *
 * @param where who weighs, for the message
 * @throws `weight-invalid` for one that is not finite or is negative, for all zero, or for an infinite sum
 */
export function checkWeights(where: string, weighted: readonly Weighted[]): void {
  const bad = weighted.find(({ weight }) => !option.nonNegative.holds(weight))
  const total = bad ? 0 : totalWeight(weighted)
  if (option.positive.holds(total)) return
  const problem = bad ? `"${bad.name}" weighs ${printed(bad.weight)}` : `all weights together are ${total}`
  throw new JuristError('weight-invalid', `${where}: ${problem}. Weights are finite, at least 0, and one is above 0.`, {
    name: (bad ?? weighted[0])?.name ?? '',
  })
}

/** The sum of the weights. */
export function totalWeight(weighted: readonly Pick<Weighted, 'weight'>[]): number {
  return weighted.reduce((total, { weight }) => total + weight, 0)
}
