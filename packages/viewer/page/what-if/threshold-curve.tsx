import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { BallotsDocument } from '../../src/answers/ballots.js'
import { type CurvePoint, mostVerdicts, thresholdCurve, thresholdJuries } from '../../src/what-if/curve.js'
import { settingsFrom } from '../../src/what-if/settings.js'
import { linear, linePath } from '../chart-scales.js'
import { Ticks } from '../charts.js'
import { Part } from '../parts.js'

const [width, height, foot] = [420, 130, 16]
const [x, y] = [linear([0, 1], [4, width - 4]), linear([0, 1], [height - foot - 4, 6])]

export function ThresholdCurves(props: {
  readonly ballots: BallotsDocument
  readonly query: string
}): JSX.Element | null {
  const { ballots, query } = props
  const names = thresholdJuries(ballots, settingsFrom(new URLSearchParams(query)))
  if (names.length === 0) return null
  return (
    <Part title="Pass rate over threshold">
      {ballots.verdicts.length > mostVerdicts ? (
        <p class="quiet">
          This run has {grouped(ballots.verdicts.length)} different verdicts. The curve is drawn up to{' '}
          {grouped(mostVerdicts)}.
        </p>
      ) : (
        <div class="small-charts">
          {names.map((name) => (
            <Curve ballots={ballots} query={query} jury={name} key={name} />
          ))}
        </div>
      )}
    </Part>
  )
}

function Curve(props: {
  readonly ballots: BallotsDocument
  readonly query: string
  readonly jury: string
}): JSX.Element {
  const { ballots, query, jury } = props
  const [points, setPoints] = useState<readonly CurvePoint[]>([])
  useEffect(() => {
    const stop = new AbortController()
    thresholdCurve(ballots, settingsFrom(new URLSearchParams(query)), jury, stop.signal).then(
      (found) => stop.signal.aborted || setPoints(found),
      () => undefined,
    )
    return () => stop.abort()
  }, [ballots, query, jury])
  const label = `Pass rate of ${jury === '' ? 'the jury' : jury} over its threshold: ${textOf(points)}`
  return (
    <figure>
      <figcaption>
        {jury === '' ? 'The jury' : jury} <span class="quiet small">{rangeText(points)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="img" aria-label={label}>
        <Ticks ticks={[0, 0.5, 1]} at={y} across={[4, width - 4]} />
        <path class="whisker" fill="none" d={linePath(points.map((point) => [x(point.threshold), y(rateOf(point))]))} />
        {points.map((point) => (
          <circle class="dot" key={point.threshold} cx={x(point.threshold)} cy={y(rateOf(point))} r="2.5">
            <title>
              {percent(rateOf(point))} of {grouped(point.decided)} at {point.threshold}
            </title>
          </circle>
        ))}
        <Ticks ticks={[0, 0.5, 1]} at={x} below={height - 3} isInside />
      </svg>
    </figure>
  )
}

/** The rate of the decided trials; 0 without any. */
function rateOf({ passes, decided }: CurvePoint): number {
  return decided === 0 ? 0 : passes / decided
}

function rangeText(points: readonly CurvePoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  return first === undefined || last === undefined
    ? ''
    : `${percent(rateOf(first))} at 0, ${percent(rateOf(last))} at 1`
}

function textOf(points: readonly CurvePoint[]): string {
  return points
    .filter((_, index) => index % 4 === 0)
    .map((point) => `${percent(rateOf(point))} at ${point.threshold}`)
    .join(', ')
}
