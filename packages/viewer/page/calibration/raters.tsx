import { counted, grouped, points, pValue } from '@jurist/experiment/internal/results'
import { pEquals, percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { TablePart } from '../parts.js'
import { type Column, nameColumn, numberColumn } from '../table.js'

type Report = NonNullable<CalibrationDocument['report']>
type AltTest = NonNullable<Report['altTest']>

export function JuryMembers({ jury }: { readonly jury: NonNullable<Report['jury']> }): JSX.Element {
  const { members, sameTrials, commonTrials, bestMember, juryMinusBest, mcnemarAgainstBest, effectiveVotes } = jury
  const rows = Object.entries(members)
  return (
    <TablePart title="Members of the jury" rows={rows} keyOf={([name]) => name} columns={memberColumns}>
      <p class="quiet small">
        {sameTrials
          ? `${grouped(rows.length)} members worth ${score(effectiveVotes)} independent votes`
          : 'The members judged different trials, so their agreements are not comparable.'}
        {bestMember === null
          ? ''
          : `; the jury minus its best member, ${bestMember}: ${points(juryMinusBest)} points over ${counted(commonTrials, 'trial')} that all were scored on, ${pEquals(mcnemarAgainstBest)}`}
      </p>
    </TablePart>
  )
}

const memberColumns: readonly Column<[string, NonNullable<Report['jury']>['members'][string]]>[] = [
  nameColumn('Member', ([name]) => name),
  numberColumn('Agreement', ([, { agreement }]) => percent(agreement)),
  numberColumn('Scored', ([, { scored }]) => grouped(scored)),
]

/** Whether the judge may replace human annotators, by the alternative annotator test. */
export function Annotators({ altTest }: { readonly altTest: AltTest }): JSX.Element {
  const { annotators, constant, epsilon, q, minimumItems, excluded } = altTest
  return (
    <TablePart
      title="Judge and annotators"
      rows={Object.entries(annotators)}
      keyOf={([name]) => name}
      columns={annotatorColumns}
    >
      <p>
        {conclusionOf(altTest)}: {winningText(altTest)}.
      </p>
      <p class="quiet small">
        Epsilon {epsilon}, false discovery rate {q}, annotators with at least {grouped(minimumItems)} items
        {excluded.length === 0 ? '' : `; excluded: ${excluded.join(', ')}`}.
        {constant === null ? '' : ` A judge that always says ${constant.label} gets: ${winningText(constant)}.`}
      </p>
    </TablePart>
  )
}

const annotatorColumns: readonly Column<[string, AltTest['annotators'][string]]>[] = [
  nameColumn('Annotator', ([name]) => name),
  numberColumn('Items', ([, { items }]) => grouped(items)),
  numberColumn('Judge', ([, { advantage }]) => score(advantage)),
  numberColumn('Annotator', ([, { humanAdvantage }]) => score(humanAdvantage)),
  numberColumn('p', ([, one]) => pValue(one.pValue)),
  { title: 'Judge wins', cell: ([, { rejected }]) => (rejected ? 'yes' : 'no') },
]

function conclusionOf({ passes }: AltTest): string {
  if (passes === null) return 'Not decided'
  return passes ? 'The judge may replace annotators' : 'The judge may not replace annotators'
}

function winningText({ winningRate, averageAdvantage }: Pick<AltTest, 'winningRate' | 'averageAdvantage'>): string {
  return `winning rate ${percent(winningRate)}, average advantage ${score(averageAdvantage)}`
}
