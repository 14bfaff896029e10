import { freeze } from './brand.js'
import type { ContextInput, JudgmentContext } from './context.js'
import { JuristError } from './errors.js'
import { isObject } from './json.js'
import type { Judge } from './judge.js'
import type { Judgment } from './judgment.js'
import { checkName } from './name.js'
import { checkOptions, option, optionInvalid } from './options.js'
import type { Verdict } from './verdict.js'
import { checkWeights } from './votes/aggregation.js'

const { anything } = option

export interface WeightedSeat {
  readonly judge: Judge
  /** Finite, at least 0. Default 1. */
  readonly weight?: number
}
/** A judge in a jury; a jury may sit in a jury. */
export type Seat = Judge | WeightedSeat

/** Several judges and a vote. It is a judge itself; `vote` tells everything its judgment rests on. */
export interface Jury<Name extends string = string> extends Judge {
  (context: JudgmentContext): Promise<Judgment>
  /** Runs every seat and votes; never rejects for what judges do. */
  vote(context: ContextInput): Promise<Verdict<Name>>
}
/** A seat with its name and weight. */
export interface NamedSeat {
  readonly name: string
  readonly judge: Judge
  readonly weight: number
}

/** Whether a judge is a jury: it has a `vote` of its own. */
export function isJury(judge: Judge): judge is Jury {
  return typeof judge === 'function' && typeof (judge as Partial<Jury>).vote === 'function'
}

/** The seats of a jury, checked, in the order of their keys. */
export function seatsOf(judges: { readonly [name: string]: Seat }): readonly NamedSeat[] {
  if (!isObject(judges)) return optionInvalid('judges', 'jury: give "judges", an object of judges by name.')
  const seats = Object.entries(judges).map(([name, seat]) => seatOf(checkName(name, 'a seat of a jury'), seat))
  if (seats.length === 0)
    throw new JuristError('judges-empty', 'jury: there is no judge. Give at least one.', { where: 'jury' })
  checkWeights('jury', seats)
  return freeze(seats)
}

function seatOf(name: string, seat: Seat): NamedSeat {
  if (typeof seat === 'function') return freeze({ name, judge: seat, weight: 1 })
  if (typeof seat?.judge !== 'function') return refuseJudge(name)
  const { judge, weight = 1 } = checkOptions<WeightedSeat>(`the seat "${name}"`, seat, {
    judge: anything,
    weight: anything,
  })
  return freeze({ name, judge, weight: weight === 0 ? 0 : weight })
}

/** Refuses what is no judge. */
export function refuseJudge(name: string): never {
  throw new JuristError(
    'judge-invalid',
    `"${name}" is no judge. Give a function of the context, or { judge, weight } in a jury.`,
    { name },
  )
}
