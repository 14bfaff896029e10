import { failureOf, JuristError } from '../errors.js'
import { freeze } from '../freeze.js'
import type { JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { abstain, effectiveScore } from '../judgment.js'
import { assemble, buildJudgment, noChecks } from '../judgment-record.js'
import type { OptionRule } from '../options.js'
import { option } from '../options.js'
import { boolean, numerical } from '../score.js'
import { checkWeights, totalWeight } from './weights.js'

/** One judgment in a vote: who said it, and how much it counts where the vote weighs. */
export interface Ballot {
  readonly name: string
  readonly judgment: Judgment
  readonly weight: number
}

/** Makes one judgment of several: pure, without regard to the order of the ballots. */
export type Vote = (ballots: readonly Ballot[]) => Judgment

/**
 * What an ERROR ballot counts as: a fail, an abstention, nothing at all (left out of every count), or it makes the
 * whole vote an ERROR.
 */
export type OnError = 'fail' | 'abstain' | 'ignore' | 'propagate'

export type AggregationStrategy = 'majority' | 'consensus' | 'average' | 'weightedAverage' | 'median'

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
  /** Errors received, whatever became of them. */
  readonly errorCount: number
  /** Errors left out by `ignore`. */
  readonly ignoredErrorCount: number
  readonly passCount: number
  readonly failCount: number
  /** `weightedAverage` only: the weight of all ballots. */
  readonly inputWeight?: number
  /** `weightedAverage` only: the weight of those that decided. */
  readonly eligibleWeight?: number
}

/** What a vote is made of, for descriptions and fingerprints. */
export interface VoteInfo {
  readonly name: string
  readonly options?: JsonObject
}

/** A ballot that decides; an error under `onError: 'fail'` is a fail with the score 0. */
export interface EligibleBallot {
  readonly passed: boolean
  readonly score: number
  readonly weight: number
}

/** What a strategy says of the eligible ballots; without `score` the score is the status itself. */
interface Decision {
  readonly status: 'pass' | 'fail' | 'abstain'
  readonly score?: number
  readonly reasoning: string
}

/** How a strategy is told apart from the others. */
export interface Strategy {
  readonly name: AggregationStrategy
  /** With every default filled in. */
  readonly options: JsonObject & { readonly onError: OnError }
  readonly decide: (eligible: readonly EligibleBallot[], counts: Aggregation) => Decision
}

/** The rule of `onError`, for `checkOptions`. */
export const onErrorRule: OptionRule = option.oneOf('fail', 'abstain', 'ignore', 'propagate')

const infos = new WeakMap<Vote, VoteInfo>()

/** What `vote` is made of: strategy and options, or the function name of a vote of one's own. */
export function voteInfoOf(vote: Vote): VoteInfo {
  return infos.get(vote) ?? freeze({ name: vote.name === '' ? 'vote' : vote.name })
}

/**
 * The steps that all votes share: refuse an empty vote, propagate errors where asked, tell who is eligible, abstain
 * when too few are, else let the strategy decide; the counts go into `metadata.aggregation`.
 */
export function voteBy(strategy: Strategy): Vote {
  const { onError } = strategy.options
  const minEligible = typeof strategy.options.minEligible === 'number' ? strategy.options.minEligible : 1
  const vote: Vote = (ballots) => {
    if (ballots.length === 0) return refuseEmpty(strategy.name)
    if (strategy.name === 'weightedAverage') checkWeights(strategy.name, ballots)
    const eligible = ballots.flatMap((ballot) => eligibleBallot(ballot, onError))
    const aggregation = aggregationOf(strategy, ballots, eligible)
    if (onError === 'propagate' && aggregation.errorCount > 0) return propagated(ballots, aggregation)
    if (eligible.length < minEligible || aggregation.eligibleWeight === 0)
      return abstain(`too few to decide: ${tally(aggregation)}`, { metadata: { aggregation } })
    return judgmentOf(strategy.decide(eligible, aggregation), aggregation)
  }
  Object.defineProperty(vote, 'name', { value: strategy.name })
  infos.set(vote, freeze({ name: strategy.name, options: freeze(strategy.options) }))
  return vote
}

/** `2 of 3 passed, 1 abstained`: what the counts say; errors that are ignored are not spoken of. */
export function tally({ onError, passCount, eligibleCount, abstainCount, errorCount }: Aggregation): string {
  const errors = onError === 'fail' && errorCount > 0 ? `, ${errorCount} of them errors counted as fails` : ''
  const abstentions = abstainCount > 0 ? `, ${abstainCount} abstained` : ''
  return `${passCount} of ${eligibleCount} passed${errors}${abstentions}`
}

function eligibleBallot({ judgment, weight }: Ballot, onError: OnError): readonly EligibleBallot[] {
  const score = effectiveScore(judgment)
  if (score !== undefined) return [{ passed: judgment.status === 'pass', score, weight }]
  return judgment.status === 'error' && onError === 'fail' ? [{ passed: false, score: 0, weight }] : []
}

function aggregationOf(
  { name, options: { onError } }: Strategy,
  ballots: readonly Ballot[],
  eligible: readonly EligibleBallot[],
): Aggregation {
  const count = { pass: 0, fail: 0, abstain: 0, error: 0 }
  for (const { judgment } of ballots) count[judgment.status]++
  return {
    strategy: name,
    onError,
    inputCount: ballots.length,
    eligibleCount: eligible.length,
    abstainCount: count.abstain + (onError === 'abstain' ? count.error : 0),
    errorCount: count.error,
    ignoredErrorCount: onError === 'ignore' ? count.error : 0,
    passCount: count.pass,
    failCount: eligible.length - count.pass,
    ...(name === 'weightedAverage' ? { inputWeight: totalWeight(ballots), eligibleWeight: totalWeight(eligible) } : {}),
  }
}

function refuseEmpty(strategy: string): never {
  throw new JuristError('ballots-empty', `${strategy}: nobody voted. Hand in at least one ballot.`, { strategy })
}

function propagated(ballots: readonly Ballot[], aggregation: Aggregation): Judgment {
  const errors = ballots.flatMap(({ name, judgment }) => (judgment.status === 'error' ? [{ name, ...judgment }] : []))
  const reasoning = `${errors.map(({ name }) => name).join(', ')} ended in an error`
  const failure = errors[0]?.failure ?? failureOf(reasoning)
  return buildJudgment({ status: 'error', failure }, reasoning, { metadata: { aggregation } })
}

function judgmentOf({ status, score, reasoning }: Decision, aggregation: Aggregation): Judgment {
  if (status === 'abstain') return abstain(reasoning, { metadata: { aggregation } })
  const measured = score === undefined ? boolean(status === 'pass') : numerical(clamp(score))
  // Put together from parts known to be right: a vote is worth counting in microseconds.
  const metadata = freeze({ aggregation: freeze(aggregation) as unknown as JsonObject })
  return assemble({ status, score: measured }, { reasoning, checks: noChecks, metadata })
}

/** Sums of binary fractions may end a hair outside. */
function clamp(score: number): number {
  return Math.min(1, Math.max(0, score))
}
