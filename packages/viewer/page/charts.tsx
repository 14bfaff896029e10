import type { Interval } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

interface TicksProps {
  readonly ticks: readonly number[]
  readonly at: (tick: number) => number
  /** The names of the ticks. Default: none for lines, otherwise the numbers. */
  readonly text?: (tick: number) => string
  /** Where the lines of a vertical scale begin and end. Their names are on the left. */
  readonly across?: readonly [from: number, to: number]
  /** The vertical position of the names of a horizontal scale. */
  readonly below?: number
  /** Whether the first and the last name stay within the width of the scale. */
  readonly isInside?: boolean
}

/** Draws the ticks of a scale: lines across the chart, or names below it. */
export function Ticks({ ticks, at, text, across, below, isInside = false }: TicksProps): JSX.Element {
  if (across === undefined)
    return (
      <>
        {ticks.map((tick, index) => {
          const outer = index === 0 ? 'start' : index === ticks.length - 1 ? 'end' : 'middle'
          return (
            <text key={tick} x={at(tick)} y={below} text-anchor={isInside ? outer : 'middle'}>
              {text === undefined ? tick : text(tick)}
            </text>
          )
        })}
      </>
    )
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="axis" x1={across[0]} x2={across[1]} y1={at(tick)} y2={at(tick)} />
          {text === undefined ? null : (
            <text x={across[0] - 8} y={at(tick) + 4} text-anchor="end">
              {text(tick)}
            </text>
          )}
        </g>
      ))}
    </>
  )
}

/** Draws a share of 1 as a bar. The number is next to it, so assistive technology skips the bar. */
export function Gauge({ share }: { readonly share: number | null }): JSX.Element {
  return (
    <span class="gauge" aria-hidden="true">
      <span style={{ width: `${(share ?? 0) * 100}%` }} />
    </span>
  )
}

const spark = { width: 120, height: 22 }

/**
 * Draws shares of 1 in chronological order. The last one is written next to the line, so assistive technology skips the
 * line.
 */
export function Sparkline({ shares }: { readonly shares: readonly (number | null)[] }): JSX.Element {
  const known = shares.filter((share) => share !== null)
  const x = linear([0, Math.max(1, known.length - 1)], [3, spark.width - 3])
  const y = linear([0, 1], [spark.height - 3, 3])
  const places = known.map((share, index) => [x(index), y(share)] as const)
  const last = places.at(-1)
  return (
    <svg class="sparkline" {...spark} aria-hidden="true">
      <Ticks ticks={[0, 1]} at={y} across={[0, spark.width]} />
      <path class="trend-line" d={linePath(places)} />
      {last === undefined ? null : <circle class="dot" cx={last[0]} cy={last[1]} r="2.5" />}
    </svg>
  )
}

const [height, middle] = [22, 11]

/**
 * Draws a value and its interval as a dot with whiskers: a rate on a scale from 0 to 1, or a difference on a scale from
 * `-span` to `span`. The colour of a difference shows whether its interval excludes 0.
 */
export function IntervalChart(props: {
  readonly value: number | null
  readonly interval: Interval | null
  readonly span?: number
  readonly label: string
  /** In pixels. Default 260. */
  readonly width?: number
  /** Whether a difference may have a colour. Default `true`. */
  readonly isColoured?: boolean
}): JSX.Element {
  const { value, interval, span, label, width = 260, isColoured = true } = props
  const at = linear(span === undefined ? [0, 1] : [-span, span], [6, width - 6])
  const isClear = isColoured && span !== undefined && interval !== null
  const tone = isClear && interval.low > 0 ? 'pass' : isClear && interval.high < 0 ? 'fail' : ''
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <line class="axis" x1={6} x2={width - 6} y1={middle} y2={middle} />
      {span === undefined ? (
        [0, 0.5, 1].map((share) => (
          <line class="axis" key={share} x1={at(share)} x2={at(share)} y1="3" y2={height - 3} />
        ))
      ) : (
        <line class="zero" x1={at(0)} x2={at(0)} y1="1" y2={height - 1} />
      )}
      {interval === null ? null : (
        <path
          class={`whisker ${tone}`}
          fill="none"
          d={`M${at(interval.low)} ${middle - 4}v8m0-4H${at(interval.high)}m0-4v8`}
        />
      )}
      {value === null ? null : <circle class={`dot ${tone}`} cx={at(value)} cy={middle} r="4.5" />}
    </svg>
  )
}

/** Returns the smallest span, at least 0.1, that contains all differences and their intervals. */
export function spanOf(
  deltas: readonly { readonly delta: number | null; readonly interval: Interval | null }[],
): number {
  const ends = deltas.flatMap(({ delta, interval }) => [delta ?? 0, interval?.low ?? 0, interval?.high ?? 0])
  return Math.max(0.1, ...ends.map(Math.abs))
}
/** The strongest colour of a cell, in per cent. Text on it stays readable. */
const strongest = 28

/** Returns the background of a cell, whose value is this share of the largest value. */
export function shade(tone: 'accent' | 'pass' | 'fail', share: number): string {
  return share === 0
    ? ''
    : `color-mix(in srgb, var(--${tone}) ${Math.round(4 + share * (strongest - 4))}%, transparent)`
}

/** Measures an element, so that the text of a chart keeps its size on every screen. */
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

/** Lines and numbers of a scale. The links of a chart contain its values, so assistive technology skips these. */
export function Unspoken(props: { readonly class?: string; readonly children: ComponentChildren }): JSX.Element {
  const { class: className, children } = props
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a group of lines takes no focus
    <g class={className} aria-hidden="true">
      {children}
    </g>
  )
}

/** Returns two to five round numbers, from 0 to the first one that is not below `most`. */
export function ticksTo(most: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.25, 0.5, 1, 2.5].map((factor) => factor * power).find((one) => most / one <= 4) ?? 5 * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

const timeSteps = [1, 2, 5, 10, 15, 30].flatMap((count) => [count * second, count * minute, count * hour])

/**
 * Returns two to five durations in milliseconds, from 0 to the first one that is not below `most`: whole minutes, not
 * tenths.
 */
export function timeTicksTo(most: number): readonly number[] {
  const steps = timeSteps.toSorted((one, other) => one - other)
  const step = most < 4 * second ? undefined : steps.find((one) => most / one <= 4)
  if (step === undefined) return ticksTo(most)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** Maps the interval `from` to the interval `to`, in pixels. */
export function linear(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  return (value) => to[0] + ((value - from[0]) / (from[1] - from[0])) * (to[1] - to[0])
}

/** Splits values into runs of known ones. A missing value interrupts a line. */
function stretches<Value>(values: readonly (Value | null)[]): readonly (readonly Value[])[] {
  const found: Value[][] = [[]]
  for (const value of values)
    if (value === null) found.push([])
    else found.at(-1)?.push(value)
  return found.filter(({ length }) => length > 0)
}

function pointText(x: number, y: number): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`
}

/** Returns the SVG path of a line through the known points, in pixels. */
export function linePath(places: readonly (readonly [x: number, y: number] | null)[]): string {
  return stretches(places)
    .map((stretch) => `M${stretch.map(([x, y]) => pointText(x, y)).join('L')}`)
    .join('')
}

/** Returns the SVG path of the area between two lines, in pixels. */
export function bandPath(places: readonly (readonly [x: number, low: number, high: number] | null)[]): string {
  return stretches(places)
    .map((stretch) => {
      const lower = stretch.toReversed().map(([x, low]) => pointText(x, low))
      return `M${[...stretch.map(([x, , high]) => pointText(x, high)), ...lower].join('L')}Z`
    })
    .join('')
}

/**
 * Returns the labels that fit next to each other. It starts at the last one, since the latest matter most.
 *
 * @param x the position of a label
 * @param letter the width of a letter
 */
export function fittingLabels<Label extends { readonly at: number; readonly text: string }>(
  labels: readonly Label[],
  x: (at: number) => number,
  { letter, right }: { readonly letter: number; readonly right: number },
): readonly Label[] {
  const fitting: Label[] = []
  let free = right
  for (const label of labels.toReversed()) {
    const half = (label.text.length * letter) / 2 + 4
    const end = Math.min(x(label.at) + half, right)
    if (end > free) continue
    fitting.unshift(label)
    free = end - 2 * half
  }
  return fitting
}
