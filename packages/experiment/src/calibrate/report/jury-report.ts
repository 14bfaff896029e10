import { ratio } from '../../result/statistics/confusion.js'
import { effectiveVotes, type MemberError } from '../../result/statistics/effective-votes.js'
import { mcnemarExact } from '../../result/statistics/paired-tests.js'
import type { JuryReport, MemberAgreement } from '../calibration.js'
import type { CalibratedTrial } from './scored-trial.js'

/** What the jury and each member made of trials on which all of them were scored. */
interface Common {
  readonly jury: readonly boolean[]
  readonly members: ReadonlyMap<string, readonly boolean[]>
  /** What each trial belongs to: its item, or its cluster. */
  readonly units: readonly string[]
}

/** What a jury gains over its members; `null`: no trial has members. */
export function juryReport(trials: readonly CalibratedTrial[]): JuryReport | null {
  const names = [...new Set(trials.flatMap(({ facts }) => Object.keys(facts.members ?? {})))]
  if (names.length === 0) return null
  const sameTrials = judgedAlike(names, trials)
  const common = commonOf(names, trials)
  const errors = names.map((name) => trials.map((trial) => errorOf(trial, name)))
  const { meanCorrelation, effectiveVotes: votes } = sameTrials ? effectiveVotes(errors) : noVotes
  return {
    sameTrials,
    members: Object.fromEntries(names.map((name) => [name, agreementOf(name, trials)])),
    commonTrials: common.jury.length,
    ...(sameTrials ? againstBest(common) : noBest),
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

function commonOf(names: readonly string[], trials: readonly CalibratedTrial[]): Common {
  const common = trials.filter((trial) => trial.scored !== null && names.every((name) => matchOf(trial, name) !== null))
  return {
    jury: common.map(({ scored }) => scored?.match === true),
    members: new Map(names.map((name) => [name, common.map((trial) => matchOf(trial, name) === true)])),
    units: common.map(({ facts, item }) => facts.cluster ?? item.itemId),
  }
}

/** A member that was scored on easier trials must not look better: only trials that all members were scored on are compared. */
function againstBest({ jury, members, units }: Common): Pick<JuryReport, keyof typeof noBest> {
  if (jury.length === 0) return noBest
  // The member that is right most often; the first of equals.
  const [first, ...others] = [...members].map(([name, matches]) => ({ name, matches, right: countOf(matches) }))
  if (first === undefined) return noBest
  const best = others.reduce((one, other) => (other.right > one.right ? other : one), first)
  // Repetitions of an item depend on each other, as items of a cluster do: each item or cluster counts once.
  const leads = new Map<string, number>()
  for (const [index, unit] of units.entries()) {
    const lead = Number(jury[index] === true) - Number(best.matches[index] === true)
    leads.set(unit, (leads.get(unit) ?? 0) + lead)
  }
  const onlyMember = countOf([...leads.values()].map((lead) => lead < 0))
  const onlyJury = countOf([...leads.values()].map((lead) => lead > 0))
  return {
    bestMember: best.name,
    juryMinusBest: (countOf(jury) - best.right) / jury.length,
    mcnemarAgainstBest: mcnemarExact(onlyMember, onlyJury),
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
