import {
  abstain,
  cascade,
  error,
  fail,
  type Judgment,
  type Jury,
  jury,
  pass,
  type Tiers,
  type Vote,
} from '@jurist/core'
import type { BallotJudgment, BallotVerdict } from '../answers/ballots.js'
import { type JurySettings, partOf, type SeatedJury, type Settings } from './settings.js'
import { voteAgain } from './vote-again.js'

/** What a trial would have become; `unknown` when a tier would have been needed that did not run. */
export type Revoted = 'pass' | 'fail' | 'undecided' | 'unknown'

/** Votes again on stored judgments. */
export type Revote = (verdict: BallotVerdict) => Promise<Revoted>

/**
 * Votes again as if the juries had been set otherwise, with the votes and the cascade of core itself; only the judges
 * are replaced by what they said.
 *
 * @example
 * const revote = revoteWith(juriesOf(ballots), settingsFrom(new URLSearchParams('vote:=majority')))
 * await revote(ballots.verdicts[0])
 */
export function revoteWith(juries: readonly SeatedJury[], settings: Settings): Revote {
  const stage: Stage = { verdict: undefined, missed: false }
  const again = juries.map((one) => juryAgain(one, settings.get(one.name) ?? {}, stage))
  const whole = juries.some(({ policy }) => policy !== undefined) ? cascadeOf(juries, again, settings) : again[0]
  return async function revote(verdict) {
    if (whole === undefined) return 'unknown'
    stage.verdict = verdict
    stage.missed = false
    const { aggregated } = await whole.vote({ workspace: nowhere })
    if (stage.missed) return 'unknown'
    return aggregated.status === 'pass' || aggregated.status === 'fail' ? aggregated.status : 'undecided'
  }
}

/** The verdict on which the juries vote now, and whether one was asked for that had not sat. */
interface Stage {
  verdict: BallotVerdict | undefined
  missed: boolean
}

/** Stands for the seats of a jury that never sat. */
const nobody: ReadonlyMap<string, number> = new Map([['nobody', 1]])

/** No judge looks anywhere: each repeats itself. */
const nowhere = { exists: async () => false, read: async () => '', list: async () => [] } as never

function juryAgain({ name, seats, assumed }: SeatedJury, settings: JurySettings, stage: Stage): Jury {
  const part = () => (stage.verdict === undefined ? undefined : partOf(stage.verdict, name))
  const ask = (seat: string) => async () => {
    const found = part()
    if (found === undefined) stage.missed = true
    const said = found !== undefined && Object.hasOwn(found.individual, seat) ? found.individual[seat] : undefined
    return said === undefined ? abstain('it said nothing') : repeated(said)
  }
  const votes = new Map<string, Vote | undefined>()
  const castBy = ({ strategy, options }: BallotVerdict) => {
    const voted = { ...(strategy === undefined ? {} : { strategy }), options: { ...assumed, ...options } }
    const key = JSON.stringify(voted)
    if (!votes.has(key)) votes.set(key, voteAgain(voted, settings))
    return votes.get(key)
  }
  const cast: Vote = (ballots) => {
    const found = part()
    const vote = found === undefined || isUntouched(settings) ? undefined : castBy(found)
    return vote?.(ballots) ?? asItWas(found)
  }
  const judges = Object.fromEntries(
    [...(seats.size === 0 ? nobody : seats)].map(([seat, weight]) => [
      seat,
      { judge: ask(seat), weight: settings.weights?.[seat] ?? weight },
    ]),
  )
  return jury({ judges, vote: cast })
}

function isUntouched({ vote, threshold, onError, weights }: JurySettings): boolean {
  return vote === undefined && threshold === undefined && onError === undefined && weights === undefined
}

/** What the vote said when it was cast. */
function asItWas(part: BallotVerdict | undefined): Judgment {
  return part === undefined ? abstain('it did not sit') : repeated(part.aggregated)
}

function repeated({ status, score, errorBounds }: BallotJudgment): Judgment {
  const extras = { ...(score && { score }), ...(errorBounds !== undefined && { metadata: { errorBounds } }) }
  switch (status) {
    case 'pass':
      return pass('as it was', extras)
    case 'fail':
      return fail('as it was', extras)
    case 'abstain':
      return abstain('as it was')
    case 'error':
      return error('as it was')
    default:
      return status satisfies never
  }
}

function cascadeOf(juries: readonly SeatedJury[], again: readonly Jury[], settings: Settings): Jury {
  const tiers = juries.map(({ name, policy: was, escalates }, index) => {
    const policy = was === 'final' ? was : (settings.get(name)?.policy ?? was)
    const isClosing = policy === 'reject-on-any-fail' || policy === 'accept-when-decided'
    return { name, jury: again[index], policy, ...(escalates && isClosing ? { onError: 'escalate' } : {}) }
  })
  return cascade(tiers as unknown as Tiers)
}
