import { pEquals, points, score } from '../../result/amounts.js'
import type { CalibrationReport, JuryReport } from '../calibration.js'

const fewTrials = 30
const smallClass = 5
const highAgreement = 0.9
const lowKappa = 0.4
const goodCoverage = 0.95
const significance = 0.05

/** What a reader of a report should know. */
export function reportNotes(report: Omit<CalibrationReport, 'notes'>): readonly string[] {
  return [...sizeNotes(report), ...prevalenceNotes(report), ...coverageNotes(report), ...juryNotes(report)]
}

function sizeNotes({ counts, perClass }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  const small = Object.entries(perClass).filter(([, { support }]) => support > 0 && support < smallClass)
  return [
    ...(counts.scored < fewTrials
      ? [`${counts.scored} scored of the ${fewTrials} trials that figures need at least: every one is rough.`]
      : []),
    ...small.map(
      ([label, { support }]) =>
        `The label ${label} was expected in ${support} scored trials, of ${smallClass} at least: its figures are rough.`,
    ),
  ]
}

function prevalenceNotes({ agreement, kappa }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (agreement.value === null || kappa.value === null) return []
  return agreement.value >= highAgreement && kappa.value < lowKappa
    ? ['Agreement is high but kappa is low: nearly all labels are of one class. Look at AC1 and at the rarer class.']
    : []
}

function coverageNotes({ coverage, counts }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (coverage === null || coverage >= goodCoverage) return []
  return [`${counts.trials - counts.scored} of ${counts.trials} trials were not scored, and are in no rate.`]
}

function juryNotes({ jury }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (jury === null) return []
  const { effectiveVotes, members, sameTrials } = jury
  const seats = Object.keys(members).length
  if (seats < 2) return []
  if (!sameTrials)
    return [
      'The members judged different trials, as later tiers judge only what earlier ones let through: their agreements are not ' +
        'comparable, and none of them is called the best.',
    ]
  return [
    ...bestMemberNote(jury),
    ...(effectiveVotes !== null && effectiveVotes < seats / 2
      ? [`The ${seats} members err together: they are worth ${score(effectiveVotes)} independent votes.`]
      : []),
  ]
}

/** Worse is not the same as not distinguishable. */
function bestMemberNote({ bestMember, juryMinusBest, mcnemarAgainstBest }: JuryReport): readonly string[] {
  if (bestMember === null || juryMinusBest === null || mcnemarAgainstBest === null) return []
  if (mcnemarAgainstBest > significance) return [`The jury is not distinguishable from its best member, ${bestMember}.`]
  if (juryMinusBest >= 0) return []
  const difference = `${points(juryMinusBest)} points, ${pEquals(mcnemarAgainstBest)}`
  return [
    `The jury is worse than its best member, ${bestMember} (${difference}): ${bestMember} alone agrees more often.`,
  ]
}
