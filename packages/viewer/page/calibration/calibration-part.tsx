import { counted, grouped, points, pValue, unknown } from '@jurist/experiment/internal/results'
import { pEquals, percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { shade } from '../charts.js'
import { Loaded, useDocument } from '../documents.js'
import { Figures, List, Notes, Part, TablePart } from '../parts.js'
import { linkTo, trialPath } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'
import { intervalText, plainText } from '../text.js'
import { Cascade, ReliabilityPart } from './square-charts.js'

export function CalibrationPart({ run }: { readonly run: string }): JSX.Element {
  const loading = useDocument<CalibrationDocument>(['runs', run, 'calibration'])
  return (
    <Loaded of={loading} missing="No trial of this run has a label.">
      {(document) => {
        const { report, cascade, labelled, notes } = document
        return (
          <>
            {labelled === null ? null : <Labelled labelled={labelled} />}
            {report === null ? null : (
              <>
                <AgreementFigures report={report} />
                <div class="columns">
                  <div>
                    <Confusion report={report} />
                    {report.jury === null ? null : <JuryMembers jury={report.jury} />}
                    {report.altTest === null ? null : <Annotators altTest={report.altTest} />}
                  </div>
                  <div>
                    {report.reliability === null ? null : <ReliabilityPart reliability={report.reliability} />}
                    <Consistency consistency={report.consistency} />
                  </div>
                </div>
              </>
            )}
            {cascade === null ? null : <Cascade cascade={cascade} />}
            <Disagreements document={document} run={run} />
            <Notes notes={notes} />
          </>
        )
      }}
    </Loaded>
  )
}

/** The labels of people beside the verdicts of a run's judges on the same trials. */
function Labelled({ labelled }: { readonly labelled: NonNullable<CalibrationDocument['labelled']> }): JSX.Element {
  const { annotators, trials, undecided, errors, estimate } = labelled
  const names = annotators.map((name) => name || 'a person without a name').join(', ')
  const [first, ...others] = errors
  return (
    <>
      <p class="note">{first}</p>
      <List lines={others} />
      <Part title="True pass rate">
        <List lines={estimate} />
      </Part>
      <Part title="The judges and the labels">
        <p class="quiet small">
          {counted(trials, 'trial')} labelled by {names}
          {undecided === 0 ? '' : `; ${grouped(undecided)} have no majority`}.
        </p>
      </Part>
    </>
  )
}

type Report = NonNullable<CalibrationDocument['report']>

function AgreementFigures({ report }: { readonly report: Report }): JSX.Element {
  const { agreement, counts, coverage, kappa, gwetAC1, mcc, falsePassRate, falseFailRate } = report
  const { interval } = kappa
  const kappaText = interval === null ? '' : `95 %: ${score(interval.low)} to ${score(interval.high)}`
  return (
    <Figures
      figures={[
        {
          name: `Agreed on ${grouped(counts.matches)} of ${grouped(counts.scored)}`,
          value: percent(agreement.value),
          basis: intervalText(agreement.wilson),
        },
        { name: 'Kappa', value: score(kappa.value), basis: kappaText },
        { name: 'AC1', value: score(gwetAC1), basis: `MCC ${score(mcc)}` },
        { name: 'False pass rate', value: percent(falsePassRate) },
        { name: 'False fail rate', value: percent(falseFailRate) },
        {
          name: 'Scored',
          value: percent(coverage),
          basis: `${grouped(counts.scored)} of ${grouped(counts.trials)} trials`,
        },
      ]}
    />
  )
}

/** Whether the judge agrees with itself when a trial is repeated or two answers change places. */
function Consistency(props: { readonly consistency: Report['consistency'] }): JSX.Element | null {
  const { repeats, swap } = props.consistency
  if (repeats === null && swap === null) return null
  return (
    <Part title="Consistency">
      {repeats === null ? null : (
        <p>
          Repeated: {grouped(repeats.unanimous)} of {counted(repeats.items, 'item')} judged the same each time,
          agreement {percent(repeats.agreement)}.
        </p>
      )}
      {swap === null ? null : (
        <p>
          Places swapped: {grouped(swap.items - swap.consistent)} of {counted(swap.items, 'pair')} flip,{' '}
          {percent(swap.flipRate)}
          {swap.flips.map(({ given, exchanged, items }) => `; ${given} to ${exchanged} ${grouped(items)}`).join('')}.
        </p>
      )}
    </Part>
  )
}

function Disagreements(props: { readonly document: CalibrationDocument; readonly run: string }): JSX.Element {
  const { disagreements, totalDisagreements } = props.document
  const { run } = props
  return (
    <Part title="Disagreements">
      {disagreements.length === 0 ? <p class="empty">The judge agrees with the labels on every scored trial.</p> : null}
      {disagreements.map(({ itemId, repetition, expected, predicted, reasoning, task }) => (
        <article class="disagreement" key={`${itemId} ${repetition}`}>
          <div class="node-head">
            <a href={linkTo(trialPath({ run, itemId, repetition }))}>
              <strong>{itemId}</strong>#{repetition}
            </a>
            <span class="tag">expected {expected}</span>
            <span class="tag">judged {predicted}</span>
          </div>
          <p class="quiet small">{task === '' ? unknown : task}</p>
          <p>{plainText(reasoning)}</p>
        </article>
      ))}
      {disagreements.length < totalDisagreements ? (
        <p class="quiet small">
          The first {grouped(disagreements.length)} of {grouped(totalDisagreements)}.
        </p>
      ) : null}
    </Part>
  )
}

/** The expected labels against the labels of the judge, with recall and precision of each. */
function Confusion({ report }: { readonly report: Report }): JSX.Element {
  const { labels } = report.confusion
  return (
    <TablePart title="Confusion matrix" rows={labels} keyOf={(label) => label} columns={columnsFor(report)}>
      {labels.length === 0 ? <p class="empty">No trial was scored.</p> : null}
    </TablePart>
  )
}

function columnsFor({ confusion, perClass }: Report): readonly Column<string>[] {
  const { labels, matrix, unscored } = confusion
  const most = Math.max(1, ...matrix.flat())
  const trialsOf = (expected: string, judged: string) => matrix[labels.indexOf(expected)]?.[labels.indexOf(judged)] ?? 0
  return [
    nameColumn('Expected', (label) => label),
    ...labels.map((judged) =>
      numberColumn<string>(`judged ${judged}`, (expected) => grouped(trialsOf(expected, judged)), {
        background: (expected) => shade(expected === judged ? 'pass' : 'fail', trialsOf(expected, judged) / most),
      }),
    ),
    numberColumn('unscored', (label) => grouped(ownValue(unscored, label) ?? 0), { class: 'quiet' }),
    numberColumn('recall', (label) => percent(ownValue(perClass, label)?.recall)),
    numberColumn('precision', (label) => percent(ownValue(perClass, label)?.precision)),
  ]
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

type AltTest = NonNullable<Report['altTest']>

function JuryMembers({ jury }: { readonly jury: NonNullable<Report['jury']> }): JSX.Element {
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
function Annotators({ altTest }: { readonly altTest: AltTest }): JSX.Element {
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
