import type { JSX } from 'preact'
import { ticksTo } from '../chart-ticks.js'
import { Unspoken, useWidth } from '../charts.js'
import { bandPath, fittingLabels, linePath, type TrendBox, type TrendScale, trendScale } from './trend-scale.js'

/** A run in a chart. */
export interface ChartPoint {
  readonly id: string
  readonly href: string
  /** The run and its value in words. */
  readonly text: string
  readonly value: number | null
  readonly band?: { readonly low: number; readonly high: number } | null
  /** A second value, drawn as a thin line. */
  readonly second?: number | null
  /** Whether the run differs from the one before by more than chance explains. */
  readonly step?: 'better' | 'worse' | undefined
}

/** Places at which the setup changed, above the chart. */
interface ChartMark {
  readonly at: number
  readonly text: string
}

interface TrendChartProps {
  readonly title: string
  readonly points: readonly ChartPoint[]
  readonly tickText: (value: number) => string
  /** The values of the horizontal lines. Default: round numbers. */
  readonly ticksTo?: (most: number) => readonly number[]
  /** The largest value of the scale. Default: the largest value that is drawn. */
  readonly most?: number
  readonly marks: readonly ChartMark[]
  /** Whether the marks have their names above the chart. */
  readonly hasMarkNames?: boolean
  /** The run that is pointed at, in all charts. */
  readonly at: number
  readonly onPoint: (index: number) => void
}

const [letter, namesHeight, chartHeight] = [6.6, 16, 150]

/** A measure over runs. Arrow keys go from run to run, Enter opens one. */
export function TrendChart(props: TrendChartProps): JSX.Element {
  const { title, points, most, hasMarkNames = false } = props
  const [figure, width] = useWidth()
  const top = hasMarkNames ? namesHeight + 8 : 8
  const box: TrendBox = { width, height: chartHeight + top, left: 52, right: 8, top, bottom: 8 }
  const drawn = points.flatMap(({ value, band, second }) => [value ?? 0, band?.high ?? 0, second ?? 0])
  const scale = trendScale(points.length, (props.ticksTo ?? ticksTo)(most ?? Math.max(...drawn, 0)), box)
  return (
    <figure class="trend" ref={figure}>
      <figcaption>{title}</figcaption>
      <svg width={width} height={box.height} aria-label={title} onKeyDown={moveFocus}>
        <Lines scale={scale} box={box} tickText={props.tickText} />
        <Marks {...props} scale={scale} box={box} hasMarkNames={hasMarkNames} />
        <line class="cursor" x1={scale.x(props.at)} x2={scale.x(props.at)} y1={top} y2={box.height - box.bottom} />
        <path
          class="band"
          d={bandPath(
            points.map(({ band }) => band ?? null),
            scale,
          )}
        />
        <path
          class="thin"
          d={linePath(
            points.map(({ second }) => second ?? null),
            scale,
          )}
        />
        <path
          class="trend-line"
          d={linePath(
            points.map(({ value }) => value),
            scale,
          )}
        />
        <Points {...props} scale={scale} box={box} />
      </svg>
    </figure>
  )
}

interface Drawn {
  readonly scale: TrendScale
  readonly box: TrendBox
}

function Lines({ scale, box, tickText }: Drawn & Pick<TrendChartProps, 'tickText'>): JSX.Element {
  return (
    <Unspoken>
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <line class="axis" x1={box.left} x2={box.width - box.right} y1={scale.y(tick)} y2={scale.y(tick)} />
          <text x={box.left - 8} y={scale.y(tick) + 4} text-anchor="end">
            {tickText(tick)}
          </text>
        </g>
      ))}
    </Unspoken>
  )
}

function Marks({ marks, hasMarkNames, scale, box }: Drawn & TrendChartProps): JSX.Element {
  const named = hasMarkNames ? fittingLabels(marks, scale, { width: letter, right: box.width }) : []
  return (
    <Unspoken class="setup-marks">
      {marks.map(({ at }) => (
        <line key={at} x1={scale.x(at)} x2={scale.x(at)} y1={box.top} y2={box.height - box.bottom} />
      ))}
      {named.map(({ at, text }) => (
        <text key={at} x={Math.min(scale.x(at), box.width - (text.length * letter) / 2)} y="12" text-anchor="middle">
          {text}
        </text>
      ))}
    </Unspoken>
  )
}

function Points({ points, at, onPoint, scale, box }: Drawn & TrendChartProps): JSX.Element {
  return (
    <>
      {points.map(({ id, href, text, value, step }, index) => (
        <a
          key={id}
          href={href}
          aria-label={text}
          tabIndex={index === at ? 0 : -1}
          onFocus={() => onPoint(index)}
          onPointerEnter={() => onPoint(index)}
        >
          <rect class="hit" x={scale.x(index) - scale.column / 2} y="0" width={scale.column} height={box.height} />
          {value === null ? null : (
            <circle
              class={`dot ${step ?? ''}`}
              cx={scale.x(index)}
              cy={scale.y(value)}
              r={index === at ? 5 : step === undefined ? Math.min(2.5, scale.column / 3) : 4}
            />
          )}
        </a>
      ))}
    </>
  )
}

/** Moves the focus to another run of the chart. */
function moveFocus(event: JSX.TargetedKeyboardEvent<SVGSVGElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.findIndex((link) => link.matches(':focus'))
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: links.length - 1,
  }
  const next = Object.hasOwn(places, event.key) ? links[Math.max(0, places[event.key] ?? 0)] : undefined
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}
