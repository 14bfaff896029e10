import { grouped } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import type { CalibrationDocument, CascadeDocument } from '../../src/answers/calibration.js'
import { bandPath, linear, linePath, Ticks } from '../charts.js'
import { Part } from '../parts.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'

const size = 300
const [left, bottom] = [44, 36]
const ticks = [0, 0.25, 0.5, 0.75, 1]

const [x, y] = [linear([0, 1], [left, size - 8]), linear([0, 1], [size - bottom, 8])]

/** Plots one share against another. `scale` names the horizontal one. */
function SquareChart(props: {
  readonly label: string
  readonly scale: string
  readonly children: ComponentChildren
}): JSX.Element {
  const { label, scale, children } = props
  return (
    <svg class="square" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <Ticks ticks={ticks} at={y} across={[left, size - 8]} text={String} />
      <Ticks ticks={ticks} at={x} below={size - bottom + 18} />
      {children}
      <text x={x(0.5)} y={size - 2} text-anchor="middle">
        {scale}
      </text>
    </svg>
  )
}

export function Cascade({ cascade }: { readonly cascade: CascadeDocument }): JSX.Element {
  const [headline, ...rest] = cascade.sections
  return (
    <>
      {headline === undefined ? null : <Sections sections={[headline]} />}
      <Part title="Risk and coverage">
        <p class="quiet small">
          The share of decisions against the label, by the share of items decided; the band reaches to its upper bound,
          and the line across is what is allowed.
        </p>
        <Curve cascade={cascade} />
      </Part>
      <Sections sections={rest} />
    </>
  )
}

function Sections({ sections }: Pick<CascadeDocument, 'sections'>): JSX.Element {
  return (
    <>
      {sections.map(({ title, lines = [], table }) => (
        <Part title={title} key={title}>
          {lines.map((line) => (
            <p key={line}>{line}</p>
          ))}
          {table === undefined ? null : (
            <Table
              label={title}
              rows={table.rows}
              keyOf={([first]) => String(first)}
              columns={table.columns.map(({ title: name, align }, index) => {
                const cell = (row: readonly string[]) => row[index]
                if (index === 0) return nameColumn(name, cell)
                return align === 'right' ? numberColumn(name, cell) : { title: name, cell }
              })}
            />
          )}
        </Part>
      ))}
    </>
  )
}

function Curve({ cascade: { points, alpha, threshold } }: { readonly cascade: CascadeDocument }): JSX.Element {
  const certified = points.find((point) => point.threshold === threshold)
  const at =
    certified === undefined
      ? 'nothing is certified'
      : `certified at ${threshold}: ${percent(certified.coverage)} decided, ${percent(certified.risk)} against the label, upper bound ${percent(certified.upper)}`
  return (
    <SquareChart label={`Risk by coverage; at most ${percent(alpha)} is allowed; ${at}`} scale="share decided">
      <path class="band" d={bandPath(points.map(({ coverage, risk, upper }) => [x(coverage), y(risk), y(upper)]))} />
      <path class="whisker" fill="none" d={linePath(points.map(({ coverage, risk }) => [x(coverage), y(risk)]))} />
      <line class="zero" x1={x(0)} x2={x(1)} y1={y(alpha)} y2={y(alpha)} />
      {certified === undefined ? null : <circle class="dot" cx={x(certified.coverage)} cy={y(certified.risk)} r="5" />}
    </SquareChart>
  )
}

type Reliability = NonNullable<NonNullable<CalibrationDocument['report']>['reliability']>

/** How often the judge agrees with the labels at each level of confidence. A calibrated judge is on the diagonal. */
export function ReliabilityPart({ reliability }: { readonly reliability: Reliability }): JSX.Element {
  const { bins, calibrationError, source, trials } = reliability
  const most = Math.max(1, ...bins.map((bin) => bin.trials))
  const scale = source === 'votes' ? 'share of the votes' : 'declared confidence'
  return (
    <Part title="Reliability">
      <p class="quiet small">
        Agreement by {scale}; calibration error {percent(calibrationError)} over {grouped(trials)} trials.
      </p>
      <SquareChart
        label={`Reliability diagram: agreement by ${scale}, calibration error ${percent(calibrationError)}`}
        scale={scale}
      >
        <line class="zero" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />
        <path
          class="whisker"
          fill="none"
          d={linePath(bins.map(({ meanConfidence, agreement }) => [x(meanConfidence), y(agreement)]))}
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
      <details class="table small">
        <summary class="quiet">As a table</summary>
        <Table label="Reliability as a table" rows={bins} keyOf={({ low }) => String(low)} columns={binColumns} />
      </details>
    </Part>
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
