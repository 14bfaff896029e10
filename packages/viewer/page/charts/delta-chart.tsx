import type { Interval } from '@jurist/experiment/result'
import type { JSX } from 'preact'

const [width, height] = [260, 22]

/** A difference with its interval around zero, as a dot with whiskers; `span` is where both edges lie. */
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
  const middle = height / 2
  const tone = interval === null ? '' : interval.low > 0 ? 'better' : interval.high < 0 ? 'worse' : ''
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      <line class="axis" x1={at(-span)} x2={at(span)} y1={middle} y2={middle} />
      <line class="zero" x1={at(0)} x2={at(0)} y1="1" y2={height - 1} />
      {interval === null ? null : (
        <path
          class={`whisker ${tone}`}
          fill="none"
          d={`M${at(interval.low)} ${middle - 4}v8m0-4H${at(interval.high)}m0-4v8`}
        />
      )}
      <circle class={`dot ${tone}`} cx={at(delta)} cy={middle} r="4.5" />
    </svg>
  )
}

/** A span that all of these differences and their intervals fit into. */
export function spanOf(
  deltas: readonly { readonly delta: number | null; readonly interval: Interval | null }[],
): number {
  const ends = deltas.flatMap(({ delta, interval }) => [delta ?? 0, interval?.low ?? 0, interval?.high ?? 0])
  return Math.max(0.1, ...ends.map(Math.abs))
}
