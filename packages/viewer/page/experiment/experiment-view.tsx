import { counted, grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ExperimentDocument, Series } from '../../src/answers/experiment.js'
import { Loaded, useDocument } from '../documents.js'
import { LinkChoice, Select } from '../filters.js'
import { Head, NotFound } from '../navigation.js'
import { changeQuery, linkTo } from '../router.js'
import { dateAndTime } from '../text.js'
import { Steps } from './steps.js'
import { TrendCharts } from './trend-charts.js'
import { TrendTable } from './trend-table.js'

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

const mostLinks = 6

function SeriesChoice({ document: { experimentName, series, current } }: { readonly document: ExperimentDocument }) {
  if (series.length < 2) return null
  const options = Object.fromEntries(series.map((one) => [seriesKey(one), seriesName(one)]))
  const parametersOf = (key: string) => {
    const [variant, kind] = JSON.parse(key) as [string | null, string]
    return { variant: variant ?? undefined, kind }
  }
  if (series.length <= mostLinks)
    return (
      <LinkChoice
        label="Variant"
        chosen={seriesKey(current)}
        options={options}
        hrefOf={(key) => linkTo(['experiments', experimentName], parametersOf(key))}
      />
    )
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
