import { counted, grouped, points, rateInterval, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, pEquals, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ExperimentDocument, Series, TrendPoint } from '../../src/answers/experiment.js'
import { Loaded, useDocument } from '../documents.js'
import { Select } from '../filters.js'
import { Head, NotFound } from '../navigation.js'
import { Part } from '../parts.js'
import { changeQuery, linkTo } from '../router.js'
import { type Column, numberColumn, Table } from '../table.js'
import { dateAndTime } from '../text.js'
import { SetupChanges, Steps } from './steps.js'
import { TrendCharts } from './trend-charts.js'

const everyTenSeconds = () => 10_000

export function ExperimentView(props: { readonly name: string; readonly query: URLSearchParams }): JSX.Element {
  const { name, query } = props
  const search = new URLSearchParams(
    [...query].filter(([parameter]) => parameter === 'variant' || parameter === 'kind'),
  )
  const loading = useDocument<ExperimentDocument>(['experiments', name], search, everyTenSeconds)
  return (
    <Loaded of={loading} missing={<NotFound text={`This store has no finished run of ${name}.`} />}>
      {(document) => (
        <>
          <ExperimentHead document={document} />
          <Trend document={document} key={seriesKey(document.current)} />
        </>
      )}
    </Loaded>
  )
}

function ExperimentHead({ document }: { readonly document: ExperimentDocument }): JSX.Element {
  const { experimentName, points, earlier } = document
  const [first, last] = [points[0], points.at(-1)]
  return (
    <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: experimentName }]}>
      <span class="quiet">
        {counted(points.length, 'run')}
        {earlier > 0 ? `, the newest of ${grouped(points.length + earlier)}` : ''}
        {first === undefined || last === undefined || first === last
          ? ''
          : `, ${dateAndTime(first.figures.startedAt)} to ${dateAndTime(last.figures.startedAt)}`}
      </span>
      <SeriesChoice document={document} />
    </Head>
  )
}

/** Everything below the heading. The last run is selected first. */
function Trend({ document }: { readonly document: ExperimentDocument }): JSX.Element {
  const [pointed, setPointed] = useState<number>()
  const at = Math.min(pointed ?? document.points.length - 1, document.points.length - 1)
  return (
    <>
      <Steps document={document} />
      <TrendCharts document={document} at={at} onPoint={setPointed} />
      <TrendTable document={document} />
    </>
  )
}

function SeriesChoice({ document: { series, current } }: { readonly document: ExperimentDocument }) {
  if (series.length < 2) return null
  const options = Object.fromEntries(series.map((one) => [seriesKey(one), seriesName(one)]))
  const parametersOf = (key: string) => {
    const [variant, kind] = JSON.parse(key) as [string | null, string]
    return { variant: variant ?? undefined, kind }
  }
  return (
    <Select
      label="Variant"
      value={seriesKey(current)}
      options={Object.entries(options).map(([value, text]) => ({ value, text }))}
      onChange={(key) => changeQuery(parametersOf(key))}
    />
  )
}

function seriesKey({ variant, kind }: Series): string {
  return JSON.stringify([variant, kind])
}

function seriesName({ variant, kind }: Series): string {
  if (kind === 'judge') return variant === null ? 'calibration' : `${variant}, calibration`
  return variant ?? 'no variant'
}

interface Row {
  readonly point: TrendPoint
  readonly before: TrendPoint | undefined
}

function TrendTable({ document }: { readonly document: ExperimentDocument }): JSX.Element {
  const rows = document.points.map((point, index) => ({ point, before: document.points[index - 1] })).toReversed()
  const k = document.points.find(({ figures }) => figures.repeated !== null)?.figures.repeated?.k
  return (
    <Part title="Runs">
      <div class="trend-table">
        <Table label="Runs" columns={columnsFor(k)} rows={rows} keyOf={({ point }) => point.figures.id} isLow />
      </div>
    </Part>
  )
}

function columnsFor(k: number | undefined): readonly Column<Row>[] {
  return [
    {
      title: 'Run',
      isRowHeading: true,
      class: 'name-cell',
      cell: ({ point: { figures } }) => <a href={linkTo(['runs', figures.id])}>{dateAndTime(figures.startedAt)}</a>,
    },
    numberColumn('Pass rate', ({ point: { figures } }) => percent(figures.passRate)),
    {
      title: '95 % interval',
      class: 'middle-only quiet',
      cell: ({ point: { figures } }) =>
        figures.passRateInterval === null ? unknown : rateInterval(figures.passRateInterval),
    },
    numberColumn('To the run before', (row) => <ToTheRunBefore {...row} />),
    ...(k === undefined
      ? []
      : [
          numberColumn<Row>(`pass^${k}`, ({ point: { figures } }) => percent(figures.repeated?.passHatK), {
            class: 'wide-only',
          }),
        ]),
    numberColumn('Cost per trial', ({ point: { figures } }) => dollars(figures.costPerTrialUsd), {
      class: 'middle-only',
    }),
    numberColumn('Judges', ({ point: { figures } }) => dollars(figures.judgeCostPerTrialUsd), { class: 'wide-only' }),
    numberColumn('Agent, median', ({ point: { figures } }) => duration(figures.agentMedianMs), { class: 'wide-only' }),
    {
      title: 'Changed since the run before',
      class: 'middle-only small',
      cell: ({ point: { changes } }) => <SetupChanges changes={changes} />,
    },
  ]
}

/** The difference as a link to the comparison. Its p value is adjusted for all steps. */
function ToTheRunBefore({ point: { figures, change }, before }: Row): JSX.Element {
  const delta = change?.passRate
  if (before === undefined) return <span class="quiet">the first</span>
  const href = linkTo(['compare', before.figures.id, figures.id])
  if (delta === undefined || delta === null) return <a href={href}>compare</a>
  return (
    <>
      <a href={href}>{points(delta.delta)} points</a>{' '}
      {delta.permutation.adjustedPValue < 1 ? (
        <span class="quiet small">{pEquals(delta.permutation.adjustedPValue)}</span>
      ) : null}
    </>
  )
}
