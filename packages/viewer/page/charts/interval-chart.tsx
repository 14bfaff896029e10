import type { Interval } from '@jurist/experiment/result'
import type { JSX } from 'preact'

const [width, height] = [260, 22]

/** A rate from 0 to 1 with its interval, as a dot with whiskers. */
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
  const middle = height / 2
  return (
    <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
      {[0, 0.5, 1].map((share) => (
        <line class="axis" key={share} x1={at(share)} x2={at(share)} y1="3" y2={height - 3} />
      ))}
      <line class="axis" x1={at(0)} x2={at(1)} y1={middle} y2={middle} />
      {interval === null ? null : (
        <path class="whisker" fill="none" d={`M${at(interval.low)} ${middle - 4}v8m0-4H${at(interval.high)}m0-4v8`} />
      )}
      {value === null ? null : <circle class="dot" cx={at(value)} cy={middle} r="4.5" />}
    </svg>
  )
}
