import { ratio } from '../../result/statistics/confusion.js'
import { effectiveVotes, type MemberError } from '../../result/statistics/effective-votes.js'
import { duelByUnit } from '../../result/statistics/paired-tests.js'
import type { JuryReport, MemberAgreement } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

/** The gain of a jury over its members; `null`: no trial has members. */
export function juryReport(trials: readonly CalibratedTrial[]): JuryReport | null {
  const names = [...new Set(trials.flatMap(({ facts }) => Object.keys(facts.members ?? {})))]
  if (names.length === 0) return null
  const sameTrials = judgedAlike(names, trials)
  // A member that was scored on easier trials must not look better: only trials that all members were scored on are compared.
  const common = trials.filter((trial) => trial.scored !== null && names.every((name) => matchOf(trial, name) !== null))
  const errors = names.map((name) => trials.map((trial) => errorOf(trial, name)))
  const { meanCorrelation, effectiveVotes: votes } = sameTrials ? effectiveVotes(errors) : noVotes
  return {
    sameTrials,
    members: Object.fromEntries(names.map((name) => [name, agreementOf(name, trials)])),
    commonTrials: common.length,
    ...(sameTrials ? againstBest(names, common) : noBest),
    meanErrorCorrelation: meanCorrelation,
    effectiveVotes: votes,
  }
}

const noBest = { bestMember: null, juryMinusBest: null, mcnemarAgainstBest: null } as const
const noVotes = { meanCorrelation: null, effectiveVotes: null } as const

/** Whether each member judged every trial that any of them judged, scored or not. */
function judgedAlike(names: readonly string[], trials: readonly CalibratedTrial[]): boolean {
  return trials.every(
    ({ facts: { members } }) => members === null || names.every((name) => Object.hasOwn(members, name)),
  )
}

function agreementOf(name: string, trials: readonly CalibratedTrial[]): MemberAgreement {
  const matches = trials.flatMap((trial) => (trial.scored === null ? [] : (matchOf(trial, name) ?? [])))
  return { agreement: ratio(countOf(matches), matches.length), scored: matches.length }
}

function againstBest(
  names: readonly string[],
  common: readonly CalibratedTrial[],
): Pick<JuryReport, keyof typeof noBest> {
  if (common.length === 0) return noBest
  // The member that is right most often; the first of equals.
  const [first, ...others] = names.map((name) => ({
    name,
    right: countOf(common.map((trial) => matchOf(trial, name) === true)),
  }))
  if (first === undefined) return noBest
  const best = others.reduce((one, other) => (other.right > one.right ? other : one), first)
  const pairs = common.map((trial) => ({
    unit: trial.facts.cluster ?? trial.item.itemId,
    one: trial.scored?.match === true,
    other: matchOf(trial, best.name) === true,
  }))
  return {
    bestMember: best.name,
    juryMinusBest: (countOf(pairs.map(({ one }) => one)) - best.right) / pairs.length,
    mcnemarAgainstBest: duelByUnit(pairs).pValue,
  }
}

function countOf(matches: readonly boolean[]): number {
  return matches.filter(Boolean).length
}

function matchOf({ facts }: CalibratedTrial, name: string): boolean | null {
  return facts.members !== null && Object.hasOwn(facts.members, name) ? (facts.members[name] ?? null) : null
}

function errorOf(trial: CalibratedTrial, name: string): MemberError {
  const match = matchOf(trial, name)
  return match === null ? null : match ? 0 : 1
}
