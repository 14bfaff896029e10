import { JuristError } from '../errors.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { option, printed } from '../options.js'

/** One judgment in a vote, with the name of its judge and its weight in votes that use weights. */
export interface Ballot {
  readonly name: string
  readonly judgment: Judgment
  readonly weight: number
}

/**
 * The treatment of an ERROR ballot: as a fail, as an abstention, left out of every count, or as an ERROR of the whole
 * vote (always, or only where the outcome depends on it).
 */
export type OnError = 'fail' | 'abstain' | 'ignore' | 'propagate' | 'propagate-if-decisive'

/** The denominators of a vote, stored at `metadata.aggregation`. `eligibleCount` is always `passCount + failCount`. */
export interface Aggregation {
  readonly strategy: string
  readonly onError: OnError
  readonly inputCount: number
  /** The ballots that decided. */
  readonly eligibleCount: number
  /** Includes errors counted as abstentions. */
  readonly abstainCount: number
  /** All errors, whatever they count as. */
  readonly errorCount: number
  /** The errors left out by `ignore`. */
  readonly ignoredErrorCount: number
  readonly passCount: number
  readonly failCount: number
  /** `weightedAverage` only: the weight of all ballots. */
  readonly inputWeight?: number
  /** `weightedAverage` only: the weight of the ballots that decided. */
  readonly eligibleWeight?: number
  /** `plurality` only: the number of ballots in each category. */
  readonly categories?: { readonly [category: string]: number }
  /** Includes every default, so that the vote can be cast again. */
  readonly options: JsonObject & { readonly onError: OnError }
}

/** An error that counts as a fail has the score 0, one that counts as a pass has 1. */
export interface EligibleBallot {
  readonly passed: boolean
  readonly score: number
  readonly weight: number
  /** Absent where the judgment is an error, or where its category depends on one. */
  readonly judgment?: Judgment
}

export type ExtraCounts = (
  ballots: readonly Ballot[],
  eligible: readonly EligibleBallot[],
) => Pick<Aggregation, 'inputWeight' | 'eligibleWeight' | 'categories'>

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

/** Such as `2 of 3 passed, 1 abstained`; ignored errors are left out. */
export function tally({ onError, passCount, eligibleCount, abstainCount, errorCount }: Aggregation): string {
  const errors = onError === 'fail' && errorCount > 0 ? `, ${errorCount} of them errors counted as fails` : ''
  const abstentions = abstainCount > 0 ? `, ${abstainCount} abstained` : ''
  return `${passCount} of ${eligibleCount} passed${errors}${abstentions}`
}

export interface Weighted {
  readonly name: string
  readonly weight: number
}

/**
 * @param where the name of the caller, for the message
 * @throws `weight-invalid` for a weight that is not finite or is negative, for all zero, or for an infinite sum
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

export function totalWeight(weighted: readonly Pick<Weighted, 'weight'>[]): number {
  return weighted.reduce((total, { weight }) => total + weight, 0)
}
