import { points as inPoints, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ExperimentDocument, TrendMeasure, TrendPoint } from '../../src/answers/experiment.js'
import {
  bandPath,
  fittingLabels,
  linear,
  linePath,
  Ticks,
  ticksTo,
  timeTicksTo,
  Unspoken,
  useWidth,
} from '../charts.js'
import { movedBy } from '../keys.js'
import { linkTo } from '../router.js'
import { dateAndTime, intervalText } from '../text.js'
import { changedNames } from './steps.js'

interface ChartPoint {
  readonly id: string
  readonly href: string
  /** The run and its value in words. */
  readonly text: string
  readonly value: number | null
  readonly band?: { readonly low: number; readonly high: number } | null
  /** A second value, drawn as a thin line. */
  readonly second?: number | null
  /** Whether the run is better or worse than the previous one by more than chance explains. */
  readonly tone?: 'pass' | 'fail' | undefined
  /** Whether the run stopped early: what its other items would have shown is open. */
  readonly isHollow: boolean
}

interface TrendChartProps {
  readonly title: string
  readonly points: readonly ChartPoint[]
  readonly tickText: (value: number) => string
  /** The values of the horizontal lines. Default: round numbers. */
  readonly ticksOf?: (most: number) => readonly number[]
  /** The largest value of the scale. Default: the largest value that is drawn. */
  readonly most?: number
  /** Places at which the setup changed. */
  readonly marks: readonly { readonly at: number; readonly text: string }[]
  /** Whether the marks have their names above the chart. */
  readonly hasMarkNames?: boolean
  /** The index of the selected run, the same in all charts. */
  readonly at: number
  readonly onPoint: (index: number) => void
}

const [letter, namesHeight, chartHeight, left] = [6.6, 16, 150, 52]

/** Draws a measure over runs, a column for each. Arrow keys move between runs; Enter opens one. */
function TrendChart({
  title,
  points,
  tickText,
  ticksOf = ticksTo,
  most,
  marks,
  hasMarkNames = false,
  at,
  onPoint,
}: TrendChartProps): JSX.Element {
  const [figure, width] = useWidth()
  const top = hasMarkNames ? namesHeight + 8 : 8
  const [right, height] = [width - 8, chartHeight + top]
  const column = Math.max(1, right - left) / Math.max(1, points.length)
  const drawn = points.flatMap(({ value, band, second }) => [value ?? 0, band?.high ?? 0, second ?? 0])
  const ticks = ticksOf(most ?? Math.max(...drawn, 0))
  const x = (index: number) => left + (index + 0.5) * column
  const y = linear([0, ticks.at(-1) ?? 1], [height - 8, top])
  const upright = (index: number) => ({ x1: x(index), x2: x(index), y1: top, y2: height - 8 })
  const line = (values: readonly (number | null | undefined)[]) =>
    linePath(values.map((value, index) => (value == null ? null : [x(index), y(value)])))
  return (
    <figure class="trend" ref={figure}>
      <figcaption class="quiet small">{title}</figcaption>
      <svg width={width} height={height} aria-label={title} onKeyDown={moveFocus}>
        <Unspoken>
          <Ticks ticks={ticks} at={y} across={[left, right]} text={tickText} />
        </Unspoken>
        <Unspoken class="setup-marks">
          {marks.map((mark) => (
            <line key={mark.at} {...upright(mark.at)} />
          ))}
          {(hasMarkNames ? fittingLabels(marks, x, { letter, right: width }) : []).map(({ at: place, text }) => (
            <text key={place} x={Math.min(x(place), width - (text.length * letter) / 2)} y="12" text-anchor="middle">
              {text}
            </text>
          ))}
        </Unspoken>
        <line class="cursor" {...upright(at)} />
        <path
          class="band"
          d={bandPath(
            points.flatMap(({ band }, index) => {
              if (band == null) return [null]
              // A run without neighbours has an area of half a column.
              const isAlone = points[index - 1]?.band == null && points[index + 1]?.band == null
              const places = isAlone ? [x(index) - column / 4, x(index) + column / 4] : [x(index)]
              return places.map((place) => [place, y(band.low), y(band.high)] as const)
            }),
          )}
        />
        <path class="thin" d={line(points.map(({ second }) => second))} />
        <path class="trend-line" d={line(points.map(({ value }) => value))} />
        {points.map(({ id, href, text, value, tone, isHollow }, index) => (
          <a
            key={id}
            href={href}
            aria-label={text}
            tabIndex={index === at ? 0 : -1}
            onFocus={() => onPoint(index)}
            onPointerEnter={() => onPoint(index)}
          >
            <rect class="hit" x={x(index) - column / 2} y="0" width={column} height={height} />
            {value === null ? null : (
              <circle
                class={`dot ${tone ?? ''} ${isHollow ? 'hollow' : ''}`}
                cx={x(index)}
                cy={y(value)}
                r={index === at ? 5 : tone === undefined && !isHollow ? Math.min(2.5, column / 3) : 4}
              />
            )}
          </a>
        ))}
      </svg>
    </figure>
  )
}

/** Moves the focus to another run of the chart. */
function moveFocus(event: JSX.TargetedKeyboardEvent<SVGSVGElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.findIndex((link) => link.matches(':focus'))
  const next = movedBy(event.key, at, links.length, { ArrowLeft: -1, ArrowRight: 1 })
  if (at < 0 || next === undefined) return
  event.preventDefault()
  links[next]?.focus()
}

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
