import type { ContextInput, JudgmentContext } from './context.js'
import { JuristError } from './errors.js'
import { isObject } from './json.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { checkName } from './name.js'
import { checkOptions, type OptionRule, option, optionInvalid, printed } from './options.js'
import type { Verdict } from './verdict.js'
import type { VoteInfo } from './votes/vote.js'
import { checkWeights } from './votes/vote.js'

/** The answer of a judge, with the confidence in it. */
export interface ConfidentAnswer {
  readonly judgment: Judgment
  /** From 0 to 1; 0 where it is not known. */
  readonly confidence: number
  /** The number of judgments that the confidence is based on. */
  readonly samples: number
  /** The verdict of a jury that voted once. */
  readonly verdict?: Verdict
}

/**
 * Runs a judge and estimates the confidence in its judgment. The name of the function and its `version`, if any, are
 * part of a certificate. `@jurist/core/confidence` has `declared`, `agreement`, `votes`, `swap` and `annotators`.
 *
 * @example
 * import { runJudge, type Confidence } from '@jurist/core'
 *
 * // Long reasons are written by judges that are in doubt.
 * export const briefIsSure: Confidence = async function briefIsSure(judge, context) {
 *   const judgment = await runJudge(judge, context)
 *   return { judgment, confidence: judgment.reasoning.length < 200 ? 0.9 : 0.5, samples: 1 }
 * }
 */
export interface Confidence {
  (judge: Judge, context: JudgmentContext): Promise<ConfidentAnswer>
  readonly version?: string
}

/** Options of a judge that decides only where its confidence is high enough. */
export interface SelectiveOptions {
  /** From 0 to 1. The judge decides where its confidence is at least this. */
  readonly threshold: number
  /**
   * The source of the confidence. Default: the share of the votes for a jury, `metadata.confidence` of the judgment for
   * another judge.
   */
  readonly confidence?: Confidence
}

export const selectiveRules: { readonly [name in keyof Required<SelectiveOptions>]: OptionRule } = {
  threshold: option.rate,
  confidence: option.function,
}

const { anything } = option

/** A judge of a jury, with the weight of its vote. */
export interface WeightedJudge {
  readonly judge: Judge
  /** Finite, at least 0. Default 1. */
  readonly weight?: number
}
/** A judge in a jury; it may be a jury itself. */
export type JuryMember = Judge | WeightedJudge

/** Several judges and a vote. A jury is a judge itself; `vote` returns all the judgments behind the result. */
export interface Jury<Name extends string = string> extends Judge {
  (context: JudgmentContext): Promise<Judgment>
  /** Runs every member and votes. Never rejects for what judges do. */
  vote(context: ContextInput): Promise<Verdict<Name>>
  /** The parts that `jury`, `juryOf` or `cascade` made it from; `named` keeps them. Absent: a custom jury. */
  readonly parts?: JuryParts
}
/**
 * The parts of a jury: members and a vote, or the tiers of a cascade. They describe the jury, and let it be rebuilt
 * with other judges.
 */
export interface JuryParts {
  readonly vote?: VoteInfo
  readonly members: readonly { readonly name: string; readonly judge: Judge; readonly weight: number }[]
  readonly tiers?: readonly MadeTier[]
  /** The time limit of each tier, in milliseconds. */
  readonly timeoutMs?: number
  /** Returns the same jury with `change` applied to each member, or to the jury of each tier. */
  readonly rebuilt?: (change: (judge: Judge) => Judge) => Jury
}

/**
 * A gate that can reject. Any fail stops the cascade with FAIL. An error stops it with ERROR, unless `onError` is
 * `'escalate'`. Otherwise the cascade continues.
 */
export interface RejectTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'reject-on-any-fail'
  /** Default `'stop'`. */
  readonly onError?: 'stop' | 'escalate'
}
/**
 * A gate that can accept. The cascade stops with PASS if every member passes, and continues otherwise. If only an error
 * kept the gate from accepting, the cascade ends with PASS or ERROR, never with FAIL.
 */
export interface AcceptTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'accept-on-all-pass'
}
/**
 * A gate that can accept or reject. The cascade stops with the vote's PASS or FAIL, and continues on an abstention, so a
 * cheap judge that abstains when it is unsure runs once. An error stops it with ERROR, unless `onError` is `'escalate'`.
 */
export interface DecideTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'accept-when-decided'
  /** Default `'stop'`. */
  readonly onError?: 'stop' | 'escalate'
}
/**
 * A gate that decides only where its confidence is high enough. The cascade stops with its PASS or FAIL where the
 * confidence reaches the threshold, and continues otherwise. An error stops it with ERROR, unless `onError` is
 * `'escalate'`.
 */
export interface ConfidentTier extends SelectiveOptions {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'decide-when-confident'
  /** Default `'stop'`. */
  readonly onError?: 'stop' | 'escalate'
}
/** The last tier. Its verdict is the cascade's, unless a gate stopped the cascade earlier. */
export interface FinalTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'final'
}
/** A tier of a cascade that decides some subjects and passes the others on. */
export type GateTier = RejectTier | AcceptTier | DecideTier | ConfidentTier
/** Gates, then one final tier. */
export type Tiers = readonly [...GateTier[], FinalTier]

/** A tier whose single judge, if any, was converted to a jury. */
export type MadeTier = (GateTier | FinalTier) & { readonly jury: Jury }

export interface NamedMember {
  readonly name: string
  readonly judge: Judge
  readonly weight: number
}

export function isJury(judge: Judge): judge is Jury {
  return typeof judge === 'function' && typeof (judge as Partial<Jury>).vote === 'function'
}

export function membersOf(judges: { readonly [name: string]: JuryMember }): readonly NamedMember[] {
  if (Array.isArray(judges))
    return optionInvalid(
      'judges',
      'jury: "judges" is an array. Give each judge a name, as in { judges: { readme: judge } }, or use juryOf(vote, ...judges).',
    )
  if (!isObject(judges)) return optionInvalid('judges', 'jury: "judges" must be an object of judges by name.')
  const members = Object.entries(judges).map(([name, member]) =>
    memberOf(checkName(name, 'a member of a jury'), member),
  )
  if (members.length === 0)
    throw new JuristError('judges-empty', 'jury: "judges" is empty. Pass at least one judge.', { where: 'jury' })
  checkWeights('jury', members)
  return Object.freeze(members)
}

function memberOf(name: string, member: JuryMember): NamedMember {
  if (typeof member === 'function') return Object.freeze({ name, judge: member, weight: 1 })
  if (typeof member?.judge !== 'function') return refuseJudge(`jury: the member "${name}"`, member)
  const { judge, weight = 1 } = checkOptions<WeightedJudge>(`the member "${name}"`, member, {
    judge: anything,
    weight: anything,
  })
  return Object.freeze({ name, judge, weight: weight === 0 ? 0 : weight })
}

/** @param where the function that was called, or the member */
export function refuseJudge(where: string, given: unknown): never {
  const remedy = Array.isArray(given)
    ? 'Pass its judges one by one (...judges).'
    : 'Pass a function of the context, or { judge, weight } in a jury.'
  throw new JuristError('judge-invalid', `${where}: ${printed(given)} is not a judge. ${remedy}`, { name: where })
}
