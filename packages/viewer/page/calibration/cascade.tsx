import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { CascadeDocument } from '../../src/answers/calibration.js'
import { Part } from '../parts.js'
import { nameColumn, numberColumn, Table } from '../table.js'
import { SquareChart, x, y } from './square-chart.js'

/** What labels say of a cascade: what is certified, risk against coverage, who decides, and the tests. */
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
  const line = points.map(({ coverage, risk }) => `${x(coverage)},${y(risk)}`)
  const bounds = points.map(({ coverage, upper }) => `${x(coverage)},${y(upper)}`).reverse()
  const certified = points.find((point) => point.threshold === threshold)
  const at =
    certified === undefined
      ? 'nothing is certified'
      : `certified at ${threshold}: ${percent(certified.coverage)} decided, ${percent(certified.risk)} against the label, upper bound ${percent(certified.upper)}`
  return (
    <SquareChart label={`Risk by coverage; at most ${percent(alpha)} is allowed; ${at}`} scale="share decided">
      <polygon class="band" points={[...line, ...bounds].join(' ')} />
      <polyline class="whisker" fill="none" points={line.join(' ')} />
      <line class="zero" x1={x(0)} x2={x(1)} y1={y(alpha)} y2={y(alpha)} />
      {certified === undefined ? null : <circle class="dot" cx={x(certified.coverage)} cy={y(certified.risk)} r="5" />}
    </SquareChart>
  )
}
