import type { Interval } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const [width, height] = [260, 22]
const middle = height / 2

/** A share of 1 as a bar. The number is next to it, so assistive technology skips the bar. */
export function Gauge({ share }: { readonly share: number | null }): JSX.Element {
  return (
    <span class="gauge" aria-hidden="true">
      <span style={{ width: `${(share ?? 0) * 100}%` }} />
    </span>
  )
}

const [sparkWidth, sparkHeight] = [120, 22]

/** Shares of 1 in the order of time. The last one is written beside it, so assistive technology skips the line. */
export function Sparkline({ shares }: { readonly shares: readonly (number | null)[] }): JSX.Element {
  const known = shares.filter((share) => share !== null)
  const x = (index: number) => 3 + (index / Math.max(1, known.length - 1)) * (sparkWidth - 6)
  const y = (share: number) => sparkHeight - 3 - share * (sparkHeight - 6)
  const last = known.at(-1)
  return (
    <svg class="sparkline" width={sparkWidth} height={sparkHeight} aria-hidden="true">
      <line class="axis" x1="0" x2={sparkWidth} y1={y(0)} y2={y(0)} />
      <line class="axis" x1="0" x2={sparkWidth} y1={y(1)} y2={y(1)} />
      <path class="trend-line" d={`M${known.map((share, index) => `${x(index)} ${y(share)}`).join('L')}`} />
      {last === undefined ? null : <circle class="dot" cx={x(known.length - 1)} cy={y(last)} r="2.5" />}
    </svg>
  )
}

/** A difference and its interval, as a dot with whiskers on a scale from `-span` to `span`. */
export function DeltaChart({
  delta,
  interval,
  span,
  label,
}: {
  readonly delta: number
  readonly interval: Interval | null
  readonly span: number
  readonly label: string
}): JSX.Element {
  const at = (value: number) => width / 2 + (Math.max(-span, Math.min(span, value)) / span) * (width / 2 - 6)
  const tone = interval === null ? '' : interval.low > 0 ? 'better' : interval.high < 0 ? 'worse' : ''
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <line class="axis" x1={at(-span)} x2={at(span)} y1={middle} y2={middle} />
      <line class="zero" x1={at(0)} x2={at(0)} y1="1" y2={height - 1} />
      {interval === null ? null : <Whiskers low={at(interval.low)} high={at(interval.high)} tone={tone} />}
      <circle class={`dot ${tone}`} cx={at(delta)} cy={middle} r="4.5" />
    </svg>
  )
}

/** The smallest span, at least 0.1, that shows all of these differences and their intervals. */
export function spanOf(
  deltas: readonly { readonly delta: number | null; readonly interval: Interval | null }[],
): number {
  const ends = deltas.flatMap(({ delta, interval }) => [delta ?? 0, interval?.low ?? 0, interval?.high ?? 0])
  return Math.max(0.1, ...ends.map(Math.abs))
}

/** A rate and its interval, as a dot with whiskers on a scale from 0 to 1. */
export function IntervalChart({
  value,
  interval,
  label,
}: {
  readonly value: number | null
  readonly interval: Interval | null
  readonly label: string
}): JSX.Element {
  const at = (share: number) => 6 + share * (width - 12)
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      {[0, 0.5, 1].map((share) => (
        <line class="axis" key={share} x1={at(share)} x2={at(share)} y1="3" y2={height - 3} />
      ))}
      <line class="axis" x1={at(0)} x2={at(1)} y1={middle} y2={middle} />
      {interval === null ? null : <Whiskers low={at(interval.low)} high={at(interval.high)} tone="" />}
      {value === null ? null : <circle class="dot" cx={at(value)} cy={middle} r="4.5" />}
    </svg>
  )
}

function Whiskers({
  low,
  high,
  tone,
}: {
  readonly low: number
  readonly high: number
  readonly tone: string
}): JSX.Element {
  return <path class={`whisker ${tone}`} fill="none" d={`M${low} ${middle - 4}v8m0-4H${high}m0-4v8`} />
}

/** The strongest colour of a cell, in per cent. Text on it stays readable. */
const strongest = 28

/** The background of a cell whose value is this share of the largest value. */
export function shade(tone: 'accent' | 'pass' | 'fail', share: number): string {
  return share === 0
    ? ''
    : `color-mix(in srgb, var(--${tone}) ${Math.round(4 + share * (strongest - 4))}%, transparent)`
}

/** An element and its width, so that the text of a chart keeps its size on every screen. */
export function useWidth() {
  const element = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() => setWidth(current.clientWidth))
    observer.observe(current)
    setWidth(current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return [element, width] as const
}

/** Lines and numbers of a scale. The links of a chart say its values, so assistive technology skips them. */
export function Unspoken({
  class: className,
  children,
}: {
  readonly class?: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus
    <g class={className} aria-hidden="true">
      {children}
    </g>
  )
}
