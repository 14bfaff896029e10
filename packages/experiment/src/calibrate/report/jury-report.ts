import { effectiveVotes, type MemberError } from '../../result/statistics/effective-votes.js'
import { mcnemarExact } from '../../result/statistics/mcnemar.js'
import { ratio } from '../../result/statistics/per-class-scores.js'
import type { JuryReport } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

/** A member beside the jury, on the trials where both were scored. */
interface Beside {
  readonly name: string
  readonly scored: number
  readonly right: number
  readonly juryRight: number
  readonly onlyMember: number
  readonly onlyJury: number
}

/** What a jury gains over its members; `null`: no trial has members. */
export function juryReport(trials: readonly CalibratedTrial[]): JuryReport | null {
  const names = [...new Set(trials.flatMap(({ facts }) => Object.keys(facts.members ?? {})))]
  if (names.length === 0) return null
  const members = names.map((name) => besideJury(name, trials))
  const sameTrials = judgedAlike(names, trials)
  const best = sameTrials ? bestOf(members) : null
  const errors = names.map((name) => trials.map((trial) => errorOf(trial, name)))
  const { meanCorrelation, effectiveVotes: votes } = sameTrials ? effectiveVotes(errors) : noVotes
  return {
    sameTrials,
    members: Object.fromEntries(
      members.map(({ name, right, scored }) => [name, { agreement: ratio(right, scored), scored }]),
    ),
    bestMember: best?.name ?? null,
    juryMinusBest: best === null ? null : (best.juryRight - best.right) / best.scored,
    mcnemarAgainstBest: best === null ? null : mcnemarExact(best.onlyMember, best.onlyJury),
    meanErrorCorrelation: meanCorrelation,
    effectiveVotes: votes,
  }
}

const noVotes = { meanCorrelation: null, effectiveVotes: null } as const

/** Whether each member judged every trial that any of them judged, scored or not. */
function judgedAlike(names: readonly string[], trials: readonly CalibratedTrial[]): boolean {
  return trials.every(
    ({ facts: { members } }) => members === null || names.every((name) => Object.hasOwn(members, name)),
  )
}

function besideJury(name: string, trials: readonly CalibratedTrial[]): Beside {
  let [scored, right, juryRight, onlyMember, onlyJury] = [0, 0, 0, 0, 0]
  for (const trial of trials) {
    const member = matchOf(trial, name)
    if (member === null || trial.scored === null) continue
    const { match } = trial.scored
    scored += 1
    right += Number(member)
    juryRight += Number(match)
    onlyMember += Number(member && !match)
    onlyJury += Number(match && !member)
  }
  return { name, scored, right, juryRight, onlyMember, onlyJury }
}

/** The member that is right most often; the first of equals. */
function bestOf(members: readonly Beside[]): Beside | null {
  const rate = ({ right, scored }: Beside) => right / scored
  return members.reduce<Beside | null>((best, member) => {
    if (member.scored === 0) return best
    return best === null || rate(member) > rate(best) ? member : best
  }, null)
}

function matchOf({ facts }: CalibratedTrial, name: string): boolean | null {
  return facts.members !== null && Object.hasOwn(facts.members, name) ? (facts.members[name] ?? null) : null
}

function errorOf(trial: CalibratedTrial, name: string): MemberError {
  const match = matchOf(trial, name)
  return match === null ? null : match ? 0 : 1
}
