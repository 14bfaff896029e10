import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { Part } from '../parts.js'
import { type Column, numberColumn, Table } from '../table.js'

type Reliability = NonNullable<CalibrationDocument['report']['reliability']>

const size = 300
const [left, bottom] = [44, 36]
const x = (share: number) => left + share * (size - left - 8)
const y = (share: number) => size - bottom - share * (size - bottom - 8)
const ticks = [0, 0.25, 0.5, 0.75, 1]

/** How often the judge agrees with the labels at each level of confidence. A calibrated judge is on the diagonal. */
export function ReliabilityPart({ reliability }: { readonly reliability: Reliability }): JSX.Element {
  const { bins, calibrationError, source, trials } = reliability
  const scale = source === 'votes' ? 'share of the votes' : 'declared confidence'
  return (
    <Part title="Reliability">
      <p class="quiet small">
        Agreement by {scale}; calibration error {percent(calibrationError)} over {grouped(trials)} trials.
      </p>
      <Diagram
        bins={bins}
        scale={scale}
        label={`Reliability diagram: agreement by ${scale}, calibration error ${percent(calibrationError)}`}
      />
      <Bins bins={bins} />
    </Part>
  )
}

function Diagram({
  bins,
  scale,
  label,
}: {
  readonly bins: Reliability['bins']
  readonly scale: string
  readonly label: string
}): JSX.Element {
  const most = Math.max(1, ...bins.map((bin) => bin.trials))
  return (
    <svg class="square" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="axis" x1={x(0)} x2={x(1)} y1={y(tick)} y2={y(tick)} />
          <text x={left - 8} y={y(tick) + 4} text-anchor="end">
            {tick}
          </text>
          <text x={x(tick)} y={size - bottom + 18} text-anchor="middle">
            {tick}
          </text>
        </g>
      ))}
      <line class="zero" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
      <polyline
        class="whisker"
        fill="none"
        points={bins.map((bin) => `${x(bin.meanConfidence)},${y(bin.agreement)}`).join(' ')}
      />
      {bins.map((bin) => (
        <circle
          class="dot"
          key={bin.low}
          cx={x(bin.meanConfidence)}
          cy={y(bin.agreement)}
          r={3 + 5 * Math.sqrt(bin.trials / most)}
        />
      ))}
      <text x={x(0.5)} y={size - 2} text-anchor="middle">
        {scale}
      </text>
    </svg>
  )
}

function Bins({ bins }: { readonly bins: Reliability['bins'] }): JSX.Element {
  return (
    <details class="table">
      <summary>As a table</summary>
      <Table label="Reliability as a table" rows={bins} keyOf={({ low }) => String(low)} columns={binColumns} />
    </details>
  )
}

const binColumns: readonly Column<Reliability['bins'][number]>[] = [
  {
    ...numberColumn('Confidence', ({ low, high }) => `${percent(low)} to ${percent(high)}`),
    isRowHeading: true,
  },
  numberColumn('Mean', ({ meanConfidence }) => percent(meanConfidence)),
  numberColumn('Agreement', ({ agreement }) => percent(agreement)),
  numberColumn('Trials', ({ trials }) => grouped(trials)),
]
