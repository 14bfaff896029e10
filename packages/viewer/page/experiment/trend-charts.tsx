import { points as inPoints, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ExperimentDocument, TrendMeasure, TrendPoint } from '../../src/answers/experiment.js'
import { timeTicksTo } from '../chart-scales.js'
import { linkTo } from '../router.js'
import { dateAndTime, intervalText } from '../text.js'
import { changedNames } from './steps.js'
import { type ChartPoint, TrendChart } from './trend-chart.js'

interface TrendChartsProps {
  readonly document: ExperimentDocument
  readonly at: number
  readonly onPoint: (index: number) => void
}

export function TrendCharts({ document, at, onPoint }: TrendChartsProps): JSX.Element {
  const { points } = document
  const marks = points.flatMap(({ changes }, index) => {
    const text = changedNames(changes)
    return text === '' ? [] : [{ at: index, text }]
  })
  const shared = { marks, at, onPoint }
  const isRepeated = points.some(({ figures }) => figures.repeated !== null)
  const has = (measure: (point: TrendPoint) => number | null) => points.some((point) => measure(point) !== null)
  return (
    <section class="trends" aria-label="Trend">
      <Readout point={points[at]} />
      <TrendChart
        {...shared}
        hasMarkNames
        title={`Pass rate with its 95 % interval${isRepeated ? '; thin line: pass^k, all repetitions pass' : ''}`}
        points={points.map((point, index) => chartPoint(document, point, index, 'passRate'))}
        most={1}
        tickText={(value) => `${Math.round(value * 100)} %`}
      />
      {has(({ figures }) => figures.costPerTrialUsd) ? (
        <TrendChart
          {...shared}
          title="Cost of the agents per trial; thin line: judges"
          points={points.map((point, index) => chartPoint(document, point, index, 'costUsd'))}
          tickText={(value) => dollars(value)}
        />
      ) : null}
      {has(({ figures }) => figures.agentMedianMs) ? (
        <TrendChart
          {...shared}
          title="Time of the agent, median"
          points={points.map((point, index) => chartPoint(document, point, index, 'durationMs'))}
          ticksOf={timeTicksTo}
          tickText={(value) => (value === 0 ? '0 s' : duration(value))}
        />
      ) : null}
      <div class="time-axis quiet small" aria-hidden="true">
        {[...new Set([0, Math.floor((points.length - 1) / 2), points.length - 1])].map((index) => (
          <span key={index}>{dayText(points[index]?.figures.startedAt)}</span>
        ))}
      </div>
    </section>
  )
}

function chartPoint(
  { steps }: ExperimentDocument,
  point: TrendPoint,
  index: number,
  measure: TrendMeasure,
): ChartPoint {
  const { figures } = point
  const step = steps.find((one) => one.at === index && one.measure === measure)
  const rises = step !== undefined && step.change.delta > 0
  const tone = step === undefined ? undefined : rises === (measure === 'passRate') ? 'pass' : 'fail'
  const isHollow = figures.passRateInterval?.method === 'sequential'
  const shared = { id: figures.id, href: linkTo(['runs', figures.id]), tone, isHollow } as const
  const started = dateAndTime(figures.startedAt)
  switch (measure) {
    case 'passRate': {
      const { passRate, passRateInterval: band, repeated } = figures
      const text = `${started}: ${percent(passRate)}, ${intervalText(band)}`
      return { ...shared, text, value: passRate, band, second: repeated?.passHatK ?? null }
    }
    case 'costUsd': {
      const { costPerTrialUsd: value, judgeCostPerTrialUsd: second } = figures
      return {
        ...shared,
        text: `${started}: ${dollars(value)} per trial, of it judges ${dollars(second)}`,
        value,
        second,
      }
    }
    case 'durationMs': {
      const { agentMedianMs: value } = figures
      return { ...shared, text: `${started}: median ${duration(value)}`, value }
    }
    default:
      return measure satisfies never
  }
}

function Readout({ point }: { readonly point: TrendPoint | undefined }): JSX.Element | null {
  if (point === undefined) return null
  const { figures, change, changes, gitCommit } = point
  const { passRate, passRateInterval, repeated } = figures
  const delta = change?.passRate
  const changed = changedNames(changes)
  return (
    <div class="readout">
      <p class="row">
        <a href={linkTo(['runs', figures.id])}>{dateAndTime(figures.startedAt)}</a> <strong>{percent(passRate)}</strong>{' '}
        <span class="quiet">{intervalText(passRateInterval)}</span>
        {repeated === null ? null : (
          <span>
            pass^{repeated.k} {percent(repeated.passHatK)}
          </span>
        )}
        {delta === undefined || delta === null ? null : <span>{inPoints(delta.delta)} points to the run before</span>}
      </p>
      <p class="row quiet small">
        <span>{dollars(figures.costPerTrialUsd)} per trial</span>{' '}
        <span>of it judges {dollars(figures.judgeCostPerTrialUsd)}</span>{' '}
        <span>median {duration(figures.agentMedianMs)}</span>{' '}
        <span>
          commit <span class="code">{gitCommit?.slice(0, 10) ?? unknown}</span>
        </span>
        {changed === '' ? null : <span>changed: {changed}</span>}
      </p>
    </div>
  )
}

function dayText(iso: string | undefined): string {
  const date = new Date(iso ?? '')
  if (Number.isNaN(date.getTime())) return ''
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
}
