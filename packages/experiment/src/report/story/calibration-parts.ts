import type { CalibrationReport } from '../../calibrate/calibration.js'
import { counted, grouped, pEquals, percent, points, pValue, score, three } from '../../result/amounts.js'
import { lineSection, type Section, tableSection } from '../section/section.js'
import type { Column } from '../table/text-table.js'

const right = (title: string): Column => ({ title, align: 'right' })

/** What a jury gains over its best member. */
export function jurySection({ jury }: CalibrationReport): readonly Section[] {
  if (jury === null) return []
  const rows = Object.entries(jury.members).map(([name, { agreement, scored }]) => [
    name === jury.bestMember ? `${name} (best)` : name,
    percent(agreement),
    grouped(scored),
  ])
  const lines = jury.sameTrials
    ? comparedMembers(jury)
    : ['The members judged different trials; no member is the best.']
  return [
    { title: 'Jury', lines, table: { columns: [{ title: 'Member' }, right('Agreement'), right('Scored')], rows } },
  ]
}

function comparedMembers(jury: NonNullable<CalibrationReport['jury']>): readonly string[] {
  const { members, juryMinusBest, mcnemarAgainstBest, meanErrorCorrelation, effectiveVotes } = jury
  return [
    `Jury less its best member: ${points(juryMinusBest)} points, ${pEquals(mcnemarAgainstBest)} (exact McNemar).`,
    `${grouped(Object.keys(members).length)} members count as ${score(effectiveVotes)} independent votes (mean correlation of errors ${three(meanErrorCorrelation)}).`,
  ]
}

/** Whether the candidate says the same again, and the same of a swapped context. */
export function consistencySection({ consistency }: CalibrationReport): readonly Section[] {
  const { repeats, swap } = consistency
  return lineSection('Consistency', [
    ...(repeats === null
      ? []
      : [
          `Repeated: ${grouped(repeats.unanimous)} of ${counted(repeats.items, 'item')} judged alike each time, agreement ${percent(repeats.agreement)}.`,
        ]),
    ...(swap === null
      ? []
      : [
          `Swapped: ${grouped(swap.consistent)} of ${counted(swap.items, 'pair')} judged alike, ${percent(swap.flipRate)} flipped.`,
        ]),
  ])
}

/** Whether the candidate may stand in for annotators (the alternative annotator test). */
export function annotatorSection({ altTest }: CalibrationReport): readonly Section[] {
  if (altTest === null) return []
  const { annotators, winningRate, averageAdvantage, passes, epsilon, excluded } = altTest
  const verdict =
    passes === null
      ? 'Not decided'
      : passes
        ? 'The candidate may replace annotators'
        : 'The candidate may not replace annotators'
  const lines = [
    `${verdict}: winning rate ${percent(winningRate)}, average advantage ${three(averageAdvantage)}, epsilon ${epsilon}.`,
    ...(excluded.length === 0 ? [] : [`Excluded for too few items: ${excluded.join(', ')}.`]),
  ]
  const columns = [
    { title: 'Annotator' },
    right('Items'),
    right('Candidate'),
    right('Annotator'),
    right('p'),
    { title: 'Won' },
  ]
  const rows = Object.entries(annotators).map(([name, one]) => [
    name,
    grouped(one.items),
    three(one.advantage),
    three(one.humanAdvantage),
    pValue(one.pValue),
    one.rejected ? 'yes' : 'no',
  ])
  return [{ title: 'Alternative annotator test', lines, table: { columns, rows } }]
}

/** Whether the candidate is right as often as it is sure. */
export function reliabilitySection({ reliability }: CalibrationReport): readonly Section[] {
  if (reliability === null) return []
  const { bins, source, calibrationError } = reliability
  const columns = [{ title: 'Confidence' }, right('Trials'), right('Mean'), right('Agreement')]
  const rows = bins.map(({ low, high, trials, meanConfidence, agreement }) => [
    `${low.toFixed(1)} to ${high.toFixed(1)}`,
    grouped(trials),
    three(meanConfidence),
    percent(agreement),
  ])
  const [section] = tableSection(`Reliability by confidence (${source})`, columns, rows)
  return section === undefined
    ? []
    : [{ ...section, lines: [`Expected calibration error ${three(calibrationError)}.`] }]
}
