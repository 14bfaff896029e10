import { failureOf, JuristError } from '../errors.js'
import type { JsonObject } from '../json.js'
import { abstain, effectiveScore, type Judgment } from '../judgment.js'
import { assemble, buildJudgment, noChecks } from '../judgment-record.js'
import {
  checkOptions,
  described,
  hasFields,
  type OptionDescription,
  type OptionDescriptions,
  option,
  printed,
} from '../options.js'
import { boolean, type CategoricalScore, numerical } from '../score.js'

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

type ExtraCounts = (
  ballots: readonly Ballot[],
  eligible: readonly EligibleBallot[],
) => Pick<Aggregation, 'inputWeight' | 'eligibleWeight' | 'categories'>

function aggregationOf(
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

interface Weighted {
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
function voteBy(given: Strategy): Vote {
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

/** A vote, as configs, editors and forms need it. */
export interface VoteDescription {
  /** The name of the factory, and the `strategy` in stored verdicts. */
  readonly name: string
  /** When the vote passes, in one sentence. */
  readonly passes: string
  readonly options: OptionDescriptions
  readonly usesWeights: boolean
}

/** `undefined` for any function that is not a vote factory. */
export function voteDescriptionOf(factory: object): VoteDescription | undefined {
  return (factory as { readonly voteDescription?: VoteDescription }).voteDescription
}

/** A vote without the steps that all votes share. */
export interface VoteDeclaration<Options extends object> {
  readonly name: string
  readonly passes: string
  readonly options: OptionDescriptions<Options>
  /** Default `false`. */
  readonly usesWeights?: boolean
  /** The options as verdicts store them. Default: as given, with the defaults. */
  readonly stored?: (options: Options) => Options
  /** Gets the options as they are stored. */
  readonly strategy: (options: Options) => Omit<Strategy, 'name' | 'options' | 'usesWeights'>
}

/**
 * The factory checks the options, fills in the defaults, and stores both in `metadata.aggregation` of every judgment.
 */
export function voteFactory<Options extends object>(
  declaration: VoteDeclaration<Options>,
): (options?: Options) => Vote {
  const { name, passes, options: rules, usesWeights = false, stored = (options) => options, strategy } = declaration
  const entries: readonly (readonly [string, OptionDescription])[] = Object.entries(rules)
  const factory = (options?: Options): Vote => {
    const given = checkOptions(name, options, rules) as { readonly [key: string]: unknown }
    const whole = entries.flatMap(([key, { default: otherwise }]) => {
      const value = given[key] ?? otherwise
      return value === undefined ? [] : [[key, value]]
    })
    const kept = stored(Object.fromEntries(whole) as Options) as Options & Strategy['options']
    return voteBy({ name, usesWeights, options: kept, ...strategy(kept) })
  }
  Object.defineProperty(factory, 'name', { value: name })
  return Object.assign(factory, { voteDescription: Object.freeze({ name, passes, options: rules, usesWeights }) })
}

export const onErrorOption: OptionDescription = /* @__PURE__ */ described(
  option.oneOf('propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore'),
  'What a judge in error counts as. Default: an error of the vote, unless the outcome is the same without it.',
  'propagate-if-decisive',
)

export const minEligibleOption: OptionDescription = /* @__PURE__ */ described(
  option.integer(1),
  'The vote abstains with fewer eligible judges.',
  1,
)
