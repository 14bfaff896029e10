import type { MeanTest } from '@jurist/experiment/internal/results'
import { grouped, levelText, points, pValue, signed, threeDigits, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ComparisonDocument } from '../../src/answers/comparison.js'
import { IntervalChart, spanOf } from '../charts.js'
import { TablePart } from '../parts.js'
import { type Column, nameColumn, numberColumn } from '../table.js'

type Comparison = Extract<ComparisonDocument, { readonly state: 'compared' }>['comparison']

const significance = 0.05

interface Row {
  readonly name: string
  readonly measure: Pick<NonNullable<Comparison['costUsd']>, 'items' | 'interval'> & {
    readonly baselineMean: number | null
    readonly candidateMean: number | null
    readonly delta: number | null
    readonly permutation?: MeanTest
  }
  readonly valueText: (value: number | null) => string
  readonly deltaText: (value: number) => string
  /** Rates and scores share one scale in the chart; other measures have no chart. */
  readonly hasChart: boolean
}

/** Every measure of both runs, with the difference and its interval. */
export function Measures({ comparison }: { readonly comparison: Comparison }): JSX.Element {
  const all = rowsOf(comparison)
  // The pass rate is what a comparison is about; an equal score is not worth a row.
  const rows = all.filter(
    ({ name, measure: { delta } }, index) => index === 0 || name === 'Pass rate' || Math.abs(delta ?? 0) > 1e-9,
  )
  const same = all.length - rows.length
  const isAdjusted = rows.some(({ measure }) => (measure.permutation?.tests ?? 1) > 1)
  return (
    <TablePart title="Measures" columns={columnsFor(rows)} rows={rows} keyOf={({ name }) => name}>
      <p class="quiet small">
        {same === 0 ? '' : `${grouped(same)} measures that did not move are left out. `}
        Means over the items of both runs. The interval is that of the difference.
        {isAdjusted ? ' p is adjusted for all scores by Holm’s method.' : ''}
      </p>
    </TablePart>
  )
}

function columnsFor(rows: readonly Row[]): readonly Column<Row>[] {
  const [interval = { level: 0.95 }] = rows.flatMap(({ measure }) => measure.interval ?? [])
  const span = spanOf(rows.flatMap(({ hasChart, measure }) => (hasChart ? measure : [])))
  return [
    nameColumn('Measure', ({ name }) => name),
    numberColumn('Baseline', ({ measure, valueText }) => valueText(measure.baselineMean)),
    numberColumn('Candidate', ({ measure, valueText }) => valueText(measure.candidateMean)),
    numberColumn('Difference', ({ measure: { delta }, deltaText }) => (delta === null ? unknown : deltaText(delta))),
    {
      title: `−${score(span)} to +${score(span)}`,
      class: 'wide-only',
      width: '18rem',
      cell: (row) => {
        const { name, measure, deltaText, hasChart } = row
        const { delta, interval } = measure
        if (!hasChart || delta === null) return null
        const label = `${name}: ${deltaText(delta)}, ${deltaIntervalText(row)}`
        // What the corrected test does not show is not shown by a colour either.
        const isColoured = (measure.permutation?.adjustedPValue ?? 0) <= significance
        return <IntervalChart value={delta} interval={interval} span={span} label={label} isColoured={isColoured} />
      },
    },
    { title: `${levelText(interval)} interval`, class: 'middle-only', cell: deltaIntervalText },
    numberColumn('p', ({ measure }) => pValue(measure.permutation?.adjustedPValue), { class: 'middle-only' }),
    numberColumn('Items', ({ measure }) => grouped(measure.items), { class: 'wide-only' }),
  ]
}

function deltaIntervalText({ measure: { interval }, deltaText }: Row): string {
  return interval === null ? unknown : `${deltaText(interval.low)} to ${deltaText(interval.high)}`
}

function rowsOf({ passRate, scores, efficiency, costUsd, tokens, durationMs }: Comparison): readonly Row[] {
  const rate = { valueText: percent, deltaText: (value: number) => `${points(value)} points` }
  const row = (name: string, measure: Row['measure'] | null, texts: Texts, hasChart: boolean): readonly Row[] =>
    measure === null ? [] : [{ name, measure, ...texts, hasChart }]
  return [
    ...row('Pass rate', passRate, rate, true),
    ...Object.entries(scores).flatMap(([name, measure]) => row(name, measure, textsBy(threeDigits), true)),
    ...Object.entries(efficiency).flatMap(([name, measure]) =>
      row(`efficiency ${name}`, measure, textsBy(threeDigits), true),
    ),
    ...row('Cost per trial', costUsd, textsBy(dollars), false),
    ...row('Tokens per trial', tokens, textsBy(grouped), false),
    ...row('Time per trial', durationMs, textsBy(duration), false),
  ]
}

type Texts = Pick<Row, 'valueText' | 'deltaText'>

function textsBy(valueText: (value: number | null) => string): Texts {
  return { valueText, deltaText: (value) => signed(value, valueText) }
}
