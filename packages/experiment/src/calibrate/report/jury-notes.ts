import { counted, grouped, pEquals, points, score } from '../../result/amounts.js'
import type { CalibrationReport, JuryReport } from '../calibration.js'

const significance = 0.05

/** What a reader should know of a jury beside its members. */
export function juryNotes({ jury }: Pick<CalibrationReport, 'jury'>): readonly string[] {
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
    ...bestMemberNotes(jury),
    ...(effectiveVotes !== null && effectiveVotes < seats / 2
      ? [`The ${seats} members err together: they are worth ${score(effectiveVotes)} independent votes.`]
      : []),
  ]
}

function bestMemberNotes(jury: JuryReport): readonly string[] {
  const { bestMember, juryMinusBest, mcnemarAgainstBest, commonTrials } = jury
  const counts = Object.values(jury.members).map(({ scored }) => scored)
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  const uneven =
    most === commonTrials
      ? []
      : [
          `The members were scored on ${grouped(fewest)} to ${grouped(most)} trials, and all of them on ${grouped(commonTrials)}: ${
            commonTrials === 0 ? 'none of them is called the best.' : 'the best member is the best of those.'
          }`,
        ]
  if (bestMember === null || juryMinusBest === null || mcnemarAgainstBest === null) return uneven
  const sentence = bestSentence(bestMember, juryMinusBest, mcnemarAgainstBest, commonTrials)
  return [...uneven, sentence]
}

/** Better, worse, and not distinguishable are three different things; each says what to do. */
function bestSentence(best: string, difference: number, p: number, trials: number): string {
  const figures = `(${points(difference)} points over ${counted(trials, 'trial')}, ${pEquals(p)})`
  if (p >= significance)
    return `The jury is not distinguishable from its best member, ${best} ${figures}: ${best} alone may do, or more items may tell.`
  return difference > 0
    ? `The jury is better than its best member, ${best} ${figures}: use the jury.`
    : `The jury is worse than its best member, ${best} ${figures}: use ${best} alone, or another vote.`
}
