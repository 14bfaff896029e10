import type { Comparison } from '@jurist/experiment/compare'
import {
  byLabelsText,
  type ConditionDifference,
  counted,
  findings,
  flipsText,
  grouped,
  levelText,
  type MeanTest,
  points,
  priceText,
  pValue,
  sequentialHeadline,
  signed,
  testText,
  threeDigits,
  unknown,
} from '@jurist/experiment/internal/results'
import { dollars, duration, percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ComparisonDocument } from '../../src/answers/comparison.js'
import type { BehaviourBetweenDocument } from '../../src/files/behaviour.js'
import { IntervalChart, spanOf } from '../charts.js'
import { Loaded, useDocument } from '../documents.js'
import { Head, NotFound } from '../navigation.js'
import { Notes, TablePart } from '../parts.js'
import { linkTo } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'
import { dateAndTime, runName } from '../text.js'
import { ChangedItems } from './changed-items.js'

export function ComparisonView(props: {
  readonly baseline: string
  readonly candidate: string
  readonly query: URLSearchParams
}): JSX.Element {
  const { baseline, candidate, query } = props
  const search = new URLSearchParams([...query].filter(([name]) => ['change', 'q', 'ignore'].includes(name)))
  const loading = useDocument<ComparisonDocument>(['compare', baseline, candidate], search)
  return (
    <Loaded of={loading} missing={<NotFound text="This store does not have both of these runs." />}>
      {(document) => (
        <>
          <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: 'Comparison' }]} />
          {document.state === 'refused' ? (
            <>
              <p class="note fail">
                The two runs were measured under different conditions, so their difference would be meaningless.
              </p>
              <Differences differences={document.differences} />
              <p style={{ marginTop: '1rem' }}>
                <a class="button" href={linkTo(['compare', baseline, candidate], { ignore: 'conditions' })}>
                  Compare anyway
                </a>
              </p>
            </>
          ) : (
            <>
              <ComparedRuns comparison={document.comparison} />
              <Conclusion comparison={document.comparison} />
              <ChangedItems document={document} query={query} />
              <BehaviourPart baseline={baseline} candidate={candidate} />
              <Measures comparison={document.comparison} />
              <Differences differences={document.comparison.differences} />
              <Notes notes={document.comparison.notes} />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

type Compared = Extract<ComparisonDocument, { readonly state: 'compared' }>

function ComparedRuns({ comparison }: { readonly comparison: Compared['comparison'] }): JSX.Element {
  const { baseline, candidate } = comparison
  return (
    <dl class="versus">
      {[['Baseline', baseline] as const, ['Candidate', candidate] as const].map(([role, run]) => (
        <div key={role}>
          <dt class="quiet small">{role}</dt>
          <dd>
            <a href={linkTo(['runs', run.id])}>{runName(run)}</a>{' '}
            <span class="quiet small">{dateAndTime(run.startedAt)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Conclusion({ comparison }: { readonly comparison: Compared['comparison'] }): JSX.Element {
  const { conclusion, passRate } = comparison
  const tone = conclusion === 'improved' ? 'pass' : conclusion === 'regressed' ? 'fail' : ''
  const [flips, price] = [flipsText(comparison.flips), priceText(comparison)]
  const [stop, ...more] = sequentialHeadline(comparison)
  const byLabels = byLabelsText(comparison)
  // Scores were looked at whenever the pass rate was: at an early stop their p values promise too much.
  const found = comparison.sequential?.isEarly === true ? [] : findings(comparison)
  return (
    <>
      <p class={`note ${tone}`} style={{ marginTop: '1.2rem' }}>
        {stop ?? conclusions[conclusion]} {price} {passRateText(passRate)}
      </p>
      {[...more, ...(byLabels === null ? [] : [byLabels]), ...(flips === null ? [] : [flips]), ...found].map(
        (sentence) => (
          <p class="quiet" style={{ marginTop: '0.5rem' }} key={sentence}>
            {sentence}
          </p>
        ),
      )}
    </>
  )
}

const conclusions: Readonly<Record<Comparison['conclusion'], string>> = {
  improved: 'Improved.',
  regressed: 'Regressed.',
  'no-difference-detected': 'No difference was detected.',
  'insufficient-data': 'There are too few items to draw a conclusion.',
}

function passRateText(passRate: Comparison['passRate']): string {
  if (passRate === null) return 'No item was decided in both runs.'
  const { better, worse, same } = passRate.test
  return `${grouped(better)} items better, ${grouped(worse)} worse, ${grouped(same)} the same; ${testText(passRate)}.`
}

/** The conditions that differ between two runs; `null` without any. */
function Differences({ differences }: { readonly differences: readonly ConditionDifference[] }): JSX.Element | null {
  return differences.length === 0 ? null : (
    <TablePart
      title="Different conditions"
      rows={differences}
      keyOf={({ condition }) => condition}
      columns={[
        { title: 'Condition', isRowHeading: true, cell: ({ condition }) => condition },
        { title: 'Baseline', class: 'code', cell: ({ baseline }) => JSON.stringify(baseline) },
        { title: 'Candidate', class: 'code', cell: ({ candidate }) => JSON.stringify(candidate) },
        {
          title: 'Note',
          class: 'quiet',
          cell: ({ reason, allowed }) =>
            `${reason === 'undeclared' ? 'declared by one run only' : ''}${allowed ? '' : ' not intended to differ'}`,
        },
      ]}
    />
  )
}

type Read = Extract<BehaviourBetweenDocument, { readonly state: 'read' }>

const mostAlike = 20

/** The differences in behaviour between the agents of two runs. Runs without journals say so: that is not "unchanged". */
function BehaviourPart(props: { readonly baseline: string; readonly candidate: string }): JSX.Element {
  const { baseline, candidate } = props
  const loading = useDocument<BehaviourBetweenDocument>(['runs', candidate, 'behaviour', baseline])
  return (
    <Loaded of={loading} missing="">
      {(document) =>
        document.state === 'unknown' ? (
          <p class="quiet small">Behaviour: {document.reason}.</p>
        ) : (
          <BehaviourTable document={document} pair={[baseline, candidate]} />
        )
      }
    </Loaded>
  )
}

function BehaviourTable(props: { readonly document: Read; readonly pair: readonly [string, string] }): JSX.Element {
  const { items, isTested, rows, alikeButOther } = props.document
  return (
    <TablePart
      title="Behaviour"
      rows={rows}
      keyOf={({ how, what }) => `${how} ${what}`}
      columns={[
        nameColumn<Read['rows'][number]>('What', ({ how, what }) => `${how} ${what}`),
        { title: 'Baseline', cell: ({ baseline }) => baseline },
        { title: 'Candidate', cell: ({ candidate }) => candidate },
        { title: 'p (Holm)', cell: ({ pValue: p }) => (p === null ? '' : pValue(p)) },
      ]}
    >
      <p class="quiet small">
        {rows.length === 0
          ? 'No tool, host or argument is new or gone, and no amount changed by more than chance. '
          : ''}
        Over {counted(items, 'item')} with journals on both sides.
        {isTested ? '' : ' Too few items and repetitions to test: amounts are shown.'}
      </p>
      {alikeButOther.length === 0 ? null : (
        <p class="small">
          Same pass rate, other behaviour:{' '}
          {alikeButOther.slice(0, mostAlike).map(({ itemId, added, gone }) => (
            <span key={itemId}>
              <a href={linkTo(['compare', ...props.pair, 'items', itemId])}>{itemId}</a>{' '}
              {[...added.map((name) => `+${name}`), ...gone.map((name) => `−${name}`)].join(', ')};{' '}
            </span>
          ))}
        </p>
      )}
    </TablePart>
  )
}

type Measured = Extract<ComparisonDocument, { readonly state: 'compared' }>['comparison']

const significance = 0.05

interface Row {
  readonly name: string
  readonly measure: Pick<NonNullable<Measured['costUsd']>, 'items' | 'interval'> & {
    readonly baselineMean: number | null
    readonly candidateMean: number | null
    readonly delta: number | null
    readonly permutation?: MeanTest
  }
  readonly valueText: (value: number | null) => string
  readonly deltaText: (value: number) => string
  /** Rates and scores share one scale in the chart; other measures have no chart. */
  readonly hasChart: boolean
}

/** Every measure of both runs, with the difference and its interval. */
function Measures({ comparison }: { readonly comparison: Measured }): JSX.Element {
  const all = rowsOf(comparison)
  // The pass rate is what a comparison is about; an equal score is not worth a row.
  const rows = all.filter(
    ({ name, measure: { delta } }, index) => index === 0 || name === 'Pass rate' || Math.abs(delta ?? 0) > 1e-9,
  )
  const same = all.length - rows.length
  const isAdjusted = rows.some(({ measure }) => (measure.permutation?.tests ?? 1) > 1)
  return (
    <TablePart title="Measures" columns={columnsFor(rows)} rows={rows} keyOf={({ name }) => name}>
      <p class="quiet small">
        {same === 0 ? '' : `${grouped(same)} measures that did not move are left out. `}
        Means over the items of both runs. The interval is that of the difference.
        {isAdjusted ? ' p is adjusted for all scores by Holm’s method.' : ''}
      </p>
    </TablePart>
  )
}

function columnsFor(rows: readonly Row[]): readonly Column<Row>[] {
  const [interval = { level: 0.95 }] = rows.flatMap(({ measure }) => measure.interval ?? [])
  const span = spanOf(rows.flatMap(({ hasChart, measure }) => (hasChart ? measure : [])))
  return [
    nameColumn('Measure', ({ name }) => name),
    numberColumn('Baseline', ({ measure, valueText }) => valueText(measure.baselineMean)),
    numberColumn('Candidate', ({ measure, valueText }) => valueText(measure.candidateMean)),
    numberColumn('Difference', ({ measure: { delta }, deltaText }) => (delta === null ? unknown : deltaText(delta))),
    {
      title: `−${score(span)} to +${score(span)}`,
      class: 'wide-only',
      width: '18rem',
      cell: (row) => {
        const { name, measure, deltaText, hasChart } = row
        const { delta, interval } = measure
        if (!hasChart || delta === null) return null
        const label = `${name}: ${deltaText(delta)}, ${deltaIntervalText(row)}`
        // What the corrected test does not show is not shown by a colour either.
        const isColoured = (measure.permutation?.adjustedPValue ?? 0) <= significance
        return <IntervalChart value={delta} interval={interval} span={span} label={label} isColoured={isColoured} />
      },
    },
    { title: `${levelText(interval)} interval`, class: 'middle-only', cell: deltaIntervalText },
    numberColumn('p', ({ measure }) => pValue(measure.permutation?.adjustedPValue), { class: 'middle-only' }),
    numberColumn('Items', ({ measure }) => grouped(measure.items), { class: 'wide-only' }),
  ]
}

function deltaIntervalText({ measure: { interval }, deltaText }: Row): string {
  return interval === null ? unknown : `${deltaText(interval.low)} to ${deltaText(interval.high)}`
}

function rowsOf({ passRate, scores, efficiency, costUsd, tokens, durationMs }: Measured): readonly Row[] {
  const rate = { valueText: percent, deltaText: (value: number) => `${points(value)} points` }
  const row = (name: string, measure: Row['measure'] | null, texts: Texts, hasChart: boolean): readonly Row[] =>
    measure === null ? [] : [{ name, measure, ...texts, hasChart }]
  return [
    ...row('Pass rate', passRate, rate, true),
    ...Object.entries(scores).flatMap(([name, measure]) => row(name, measure, textsBy(threeDigits), true)),
    ...Object.entries(efficiency).flatMap(([name, measure]) =>
      row(`efficiency ${name}`, measure, textsBy(threeDigits), true),
    ),
    ...row('Cost per trial', costUsd, textsBy(dollars), false),
    ...row('Tokens per trial', tokens, textsBy(grouped), false),
    ...row('Time per trial', durationMs, textsBy(duration), false),
  ]
}

type Texts = Pick<Row, 'valueText' | 'deltaText'>

function textsBy(valueText: (value: number | null) => string): Texts {
  return { valueText, deltaText: (value) => signed(value, valueText) }
}
