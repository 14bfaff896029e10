import { failureOf, JuristError } from '../errors.js'
import { hasFields } from '../field-rules.js'
import type { JsonObject } from '../json.js'
import { abstain, effectiveScore, type Judgment } from '../judgment.js'
import { assemble, buildJudgment, noChecks } from '../judgment-record.js'
import { option } from '../options.js'
import { boolean, type CategoricalScore, numerical } from '../score.js'
import {
  type Aggregation,
  aggregationOf,
  type Ballot,
  checkWeights,
  type EligibleBallot,
  type ExtraCounts,
  type OnError,
  tally,
} from './aggregation.js'

/**
 * The lowest and the highest score that a judgment could have had without the errors behind it. Stored at
 * `metadata.errorBounds`; an outer numeric vote reads it, so that an error deep inside decides nothing there either.
 */
interface ErrorBounds {
  readonly low: number
  readonly high: number
}

export const anyScore: ErrorBounds = Object.freeze({ low: 0, high: 1 })

/** `undefined` where no error affects the score. */
function errorBoundsOf({ status, metadata }: Judgment): ErrorBounds | undefined {
  const bounds = metadata.errorBounds
  if (bounds === undefined || (status !== 'pass' && status !== 'fail')) return undefined
  return isBounds(bounds) ? bounds : undefined
}

function isBounds(value: unknown): value is ErrorBounds & JsonObject {
  return hasFields<ErrorBounds>(value, { low: option.rate, high: option.rate }) && value.low <= value.high
}

/** Replaces bounds that the judgment already has. */
export function withErrorBounds(judgment: Judgment, { low, high }: ErrorBounds): Judgment {
  return assemble(judgment, {
    ...judgment,
    metadata: Object.freeze({ ...judgment.metadata, errorBounds: Object.freeze({ low, high }) }),
  })
}

/** Combines several judgments into one. A pure function that does not depend on the order of the ballots. */
export interface Vote {
  (ballots: readonly Ballot[]): Judgment
  /** For reports and fingerprints. Absent: the name of the function. */
  readonly info?: VoteInfo
}

/** The description of a vote, for reports and fingerprints. */
export interface VoteInfo {
  readonly name: string
  readonly options?: JsonObject
}

/** Without `score` the score follows from the status. */
interface Decision {
  readonly status: 'pass' | 'fail' | 'abstain'
  readonly score?: number | CategoricalScore | undefined
  /** In votes on categories, the number of ballots by which the winner leads. */
  readonly lead?: number
  readonly reasoning: string
}

export interface Strategy {
  readonly name: string
  /** If `true`, the weights are checked. */
  readonly usesWeights?: boolean
  /** Includes every default. */
  readonly options: JsonObject & { readonly onError: OnError }
  readonly decide: (eligible: readonly EligibleBallot[], counts: Aggregation) => Decision
  readonly counts?: ExtraCounts
  /** Default: decides by the status. */
  readonly countsAsPass?: (judgment: Judgment) => boolean
  /** Why the vote cannot be cast on these judgments. It gets only judgments that no error affects. */
  readonly problem?: ((judgments: readonly Judgment[]) => string | undefined) | undefined
}

/** For a custom vote, the name of its function. */
export function voteInfoOf(vote: Vote): VoteInfo {
  return vote.info ?? Object.freeze({ name: vote.name === '' ? 'vote' : vote.name })
}

/**
 * The steps that all votes share: refuse an empty vote, find the eligible ballots, abstain when there are too few, and
 * otherwise let the strategy decide. `onError` defines the treatment of errors.
 */
export function voteBy(given: Strategy): Vote {
  const strategy: Strategy = { ...given, options: Object.freeze(given.options) }
  const vote: Vote = (ballots) => {
    if (ballots.length === 0) return refuseEmpty(strategy.name)
    if (strategy.usesWeights) checkWeights(strategy.name, ballots)
    const { onError } = strategy.options
    const known = readBallots(strategy, ballots, onError === 'fail' ? asFails : asTheyAre)
    const problem = problemOf(strategy, ballots, known.aggregation)
    if (problem !== undefined) return problem
    if (onError === 'propagate' && known.aggregation.errorCount > 0) return propagated(ballots, known, '')
    return onError.startsWith('propagate') && ballots.some(({ judgment }) => restsOnError(judgment))
      ? weighErrors(strategy, ballots, known)
      : judgmentOf(known)
  }
  Object.defineProperty(vote, 'name', { value: strategy.name })
  return Object.assign(vote, { info: Object.freeze({ name: strategy.name, options: strategy.options }) })
}

interface ReadBallots {
  readonly decision: Decision
  readonly aggregation: Aggregation
}

/**
 * How to count errors, and which end of a score that errors affect. Absent: errors are left out and scores stay as they
 * are.
 */
interface Reading {
  readonly error?: 'pass' | 'fail'
  readonly end?: 'low' | 'high'
}
const asTheyAre: Reading = {}
const asFails: Reading = { error: 'fail' }
const atWorst: Reading = { error: 'fail', end: 'low' }
const atBest: Reading = { error: 'pass', end: 'high' }

function readBallots(strategy: Strategy, ballots: readonly Ballot[], reading: Reading): ReadBallots {
  const { minEligible = 1 } = strategy.options
  const eligible = ballots.flatMap((ballot) => eligibleBallot(ballot, reading, strategy))
  const aggregation = aggregationOf(strategy, ballots, eligible)
  return eligible.length < Number(minEligible) || aggregation.eligibleWeight === 0
    ? { decision: { status: 'abstain', reasoning: `too few to decide: ${tally(aggregation)}` }, aggregation }
    : { decision: strategy.decide(eligible, aggregation), aggregation }
}

function eligibleBallot(
  { judgment, weight }: Ballot,
  { error, end }: Reading,
  { countsAsPass }: Strategy,
): readonly EligibleBallot[] {
  const score = effectiveScore(judgment)
  const bounds = end === undefined ? undefined : errorBoundsOf(judgment)
  // If the category depends on an error, it could be any.
  if (score !== undefined && (countsAsPass === undefined || bounds === undefined)) {
    const passed = countsAsPass?.(judgment) ?? judgment.status === 'pass'
    return [{ passed, score: end && bounds ? bounds[end] : score, weight, judgment }]
  }
  if (judgment.status === 'abstain' || error === undefined) return []
  return [{ passed: error === 'pass', score: error === 'pass' ? 1 : 0, weight }]
}

function problemOf(
  { problem, options: { minEligible } }: Strategy,
  ballots: readonly Ballot[],
  { eligibleCount }: Aggregation,
): Judgment | undefined {
  if (problem === undefined || eligibleCount < Number(minEligible)) return undefined
  const judgments = ballots.map(({ judgment }) => judgment)
  const certain = judgments.filter((one) => effectiveScore(one) !== undefined && !restsOnError(one))
  const found = certain.length === 0 ? undefined : problem(certain)
  return found === undefined ? undefined : buildJudgment({ status: 'error', failure: failureOf(found) }, found, {})
}

function restsOnError(judgment: Judgment): boolean {
  return judgment.status === 'error' || errorBoundsOf(judgment) !== undefined
}

/**
 * Keeps the outcome if it is the same with every error counted as a pass, as a fail and not at all; otherwise it is an
 * ERROR. In every strategy all mixtures lie between these three, so no error turns a pass into a fail or a fail into a
 * pass.
 */
function weighErrors(strategy: Strategy, ballots: readonly Ballot[], known: ReadBallots): Judgment {
  const worst = readBallots(strategy, ballots, atWorst).decision
  const best = readBallots(strategy, ballots, atBest).decision
  const { decision, aggregation } = known
  if (worst.status !== decision.status || best.status !== decision.status)
    return propagated(ballots, known, `, which decides: ${decision.reasoning} without`)
  const reasoning = `${decision.reasoning}; ${errorsIn(ballots)}, which changes nothing`
  const judgment = judgmentOf({ decision: { ...decision, reasoning }, aggregation })
  if (decision.lead !== undefined) return categoryHolds(decision.lead, ballots) ? judgment : withOpenCategory(judgment)
  if (typeof worst.score !== 'number' || typeof best.score !== 'number' || worst.score === best.score) return judgment
  return withErrorBounds(judgment, { low: clamp(worst.score), high: clamp(best.score) })
}

/** Each judge in error may join another category, or leave this one for it. */
function categoryHolds(lead: number, ballots: readonly Ballot[]): boolean {
  const swing = ballots.map(({ judgment }) => (judgment.status === 'error' ? 1 : restsOnError(judgment) ? 2 : 0))
  return lead > swing.reduce<number>((sum, one) => sum + one, 0)
}

/** The bounds mark a category that depends on an error, although the status and its score are certain. */
function withOpenCategory(judgment: Judgment): Judgment {
  const score = effectiveScore(judgment)
  return score === undefined ? judgment : withErrorBounds(judgment, { low: score, high: score })
}

function errorsIn(ballots: readonly Ballot[]): string {
  const broken = ballots.filter(({ judgment }) => judgment.status === 'error')
  const open = broken.length > 0 ? broken : ballots.filter(({ judgment }) => restsOnError(judgment))
  return `${open.map(({ name }) => name).join(', ')} ${open === broken ? 'ended in' : 'rests on'} an error`
}

function refuseEmpty(strategy: string): never {
  throw new JuristError('ballots-empty', `${strategy}: no ballots. Pass at least one.`, { strategy })
}

function propagated(ballots: readonly Ballot[], { aggregation }: ReadBallots, why: string): Judgment {
  const [failure] = ballots.flatMap(({ judgment }) => (judgment.status === 'error' ? [judgment.failure] : []))
  const reasoning = `${errorsIn(ballots)}${aggregation.eligibleCount === 0 ? '' : why}`
  return buildJudgment({ status: 'error', failure: failure ?? failureOf(reasoning) }, reasoning, {
    metadata: { aggregation },
  })
}

function judgmentOf({ decision: { status, score, reasoning }, aggregation }: ReadBallots): Judgment {
  if (status === 'abstain') return abstain(reasoning, { metadata: { aggregation } })
  const measured = typeof score === 'number' ? numerical(clamp(score)) : (score ?? boolean(status === 'pass'))
  const metadata = Object.freeze({ aggregation: Object.freeze(aggregation) as unknown as JsonObject })
  return assemble({ status, score: measured }, { reasoning, checks: noChecks, metadata })
}

/** Sums of binary fractions may be slightly outside the range. */
function clamp(score: number): number {
  return Math.min(1, Math.max(0, score))
}
