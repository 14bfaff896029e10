import type { JSX } from 'preact'
import type { CalibrationDocument, Disagreement } from '../../src/answers/calibration.js'
import { count, percent, score, unknown } from '../amounts.js'
import { Figures } from '../figures.js'
import { linkTo } from '../place.js'
import { plainText } from '../plain-text.js'
import { intervalText } from '../run/run-figures.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Annotators } from './annotators.js'
import { Confusion } from './confusion.js'
import { Consistency } from './consistency.js'
import { JuryMembers } from './jury-members.js'
import { ReliabilityDiagram } from './reliability-diagram.js'

/** A judge against labels: how often they agree, where they do not, and what it says then. */
export function CalibrationPart({ run }: { readonly run: string }): JSX.Element {
  const loading = useDocument<CalibrationDocument>(['runs', run, 'calibration'])
  return (
    <State of={loading} missing="This run is no calibration.">
      {(document) => <Calibration document={document} run={run} />}
    </State>
  )
}

type Report = CalibrationDocument['report']

function Calibration({ document, run }: { readonly document: CalibrationDocument; readonly run: string }): JSX.Element {
  const { report } = document
  return (
    <>
      <AgreementFigures report={report} />
      <div class="columns">
        <div>
          <Confusion report={report} />
          {report.jury === null ? null : <JuryMembers jury={report.jury} />}
          {report.altTest === null ? null : <Annotators altTest={report.altTest} />}
        </div>
        <div>
          {report.reliability === null ? null : <ReliabilityDiagram reliability={report.reliability} />}
          <Consistency consistency={report.consistency} />
        </div>
      </div>
      <Disagreements document={document} run={run} />
      {report.notes.length === 0 ? null : (
        <section class="part">
          <h2>Notes</h2>
          <ul class="plain">
            {report.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function AgreementFigures({ report }: { readonly report: Report }): JSX.Element {
  const { agreement, counts, coverage, kappa, gwetAC1, mcc, falsePassRate, falseFailRate } = report
  return (
    <Figures
      figures={[
        {
          name: `Agreed on ${count(counts.matches)} of ${count(counts.scored)}`,
          value: percent(agreement.value),
          basis: intervalText(agreement.wilson),
        },
        { name: 'Kappa', value: score(kappa.value), basis: kappaText(kappa) },
        { name: 'AC1', value: score(gwetAC1), basis: `MCC ${score(mcc)}` },
        { name: 'Passes what should fail', value: percent(falsePassRate) },
        { name: 'Fails what should pass', value: percent(falseFailRate) },
        {
          name: 'Scored',
          value: percent(coverage),
          basis: `${count(counts.scored)} of ${count(counts.trials)} trials`,
        },
      ]}
    />
  )
}

function kappaText({ interval }: Report['kappa']): string {
  return interval === null ? '' : `95 %: ${score(interval.low)} to ${score(interval.high)}`
}

function Disagreements({
  document: { disagreements, totalDisagreements },
  run,
}: {
  readonly document: CalibrationDocument
  readonly run: string
}): JSX.Element {
  return (
    <section class="part">
      <h2>Disagreements</h2>
      {disagreements.length === 0 ? <p class="empty">The judge and the labels agree everywhere.</p> : null}
      {disagreements.map((one) => (
        <Disagreed disagreement={one} run={run} key={`${one.itemId} ${one.repetition}`} />
      ))}
      {disagreements.length < totalDisagreements ? (
        <p class="quiet small">
          The first {count(disagreements.length)} of {count(totalDisagreements)}.
        </p>
      ) : null}
    </section>
  )
}

function Disagreed({
  disagreement: { itemId, repetition, expected, predicted, reasoning, task },
  run,
}: {
  readonly disagreement: Disagreement
  readonly run: string
}): JSX.Element {
  return (
    <article class="disagreement">
      <div class="node-head">
        <a href={linkTo(['runs', run, 'items', itemId, repetition])}>
          <strong>{itemId}</strong> #{repetition}
        </a>
        <span class="tag">expected {expected}</span>
        <span class="tag">judged {predicted}</span>
      </div>
      <p class="quiet small">{task === '' ? unknown : task}</p>
      <p>{plainText(reasoning)}</p>
    </article>
  )
}
