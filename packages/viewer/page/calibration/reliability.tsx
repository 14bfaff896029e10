import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { Part } from '../parts.js'
import { type Column, numberColumn, Table } from '../table.js'
import { SquareChart, x, y } from './square-chart.js'

type Reliability = NonNullable<NonNullable<CalibrationDocument['report']>['reliability']>

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
    <SquareChart label={label} scale={scale}>
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
    </SquareChart>
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
