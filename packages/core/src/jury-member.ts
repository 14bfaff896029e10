import type { ContextInput, JudgmentContext } from './context.js'
import { JuristError } from './errors.js'
import { isObject } from './json.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import type { JuryParts } from './jury-parts.js'
import { checkName } from './name.js'
import { checkOptions, option, optionInvalid, printed } from './options.js'
import type { Verdict } from './verdict.js'
import { checkWeights } from './votes/aggregation.js'

const { anything } = option

/** A judge of a jury, with the weight of its vote. */
export interface WeightedJudge {
  readonly judge: Judge
  /** Finite, at least 0. Default 1. */
  readonly weight?: number
}
/** A judge in a jury; it may be a jury itself. */
export type JuryMember = Judge | WeightedJudge

/** Several judges and a vote. It is a judge itself; `vote` returns everything its judgment rests on. */
export interface Jury<Name extends string = string> extends Judge {
  (context: JudgmentContext): Promise<Judgment>
  /** Runs every member and votes; never rejects for what judges do. */
  vote(context: ContextInput): Promise<Verdict<Name>>
  /** What `jury`, `juryOf` and `cascade` made it of; `named` keeps it. Absent: a jury of your own. */
  readonly parts?: JuryParts
}
/** A member with its name and weight. */
export interface NamedMember {
  readonly name: string
  readonly judge: Judge
  readonly weight: number
}

/** Whether a judge is a jury: it has its own `vote`. */
export function isJury(judge: Judge): judge is Jury {
  return typeof judge === 'function' && typeof (judge as Partial<Jury>).vote === 'function'
}

/** The members of a jury, checked, in the order of their keys. */
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

/**
 * Throws `judge-invalid`.
 *
 * @param where the function that was called, or the member
 */
export function refuseJudge(where: string, given: unknown): never {
  const remedy = Array.isArray(given)
    ? 'Pass its judges one by one (...judges).'
    : 'Pass a function of the context, or { judge, weight } in a jury.'
  throw new JuristError('judge-invalid', `${where}: ${printed(given)} is not a judge. ${remedy}`, { name: where })
}
