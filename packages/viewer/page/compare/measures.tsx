import type { MeanTest, PairedDelta, ScoreComparison } from '@jurist/experiment/compare'
import type { JSX } from 'preact'
import {
  count,
  dollars,
  duration,
  levelText,
  percent,
  points,
  pValue,
  score,
  signed,
  threeDigits,
  unknown,
} from '../amounts.js'
import { DeltaChart, spanOf } from '../charts/delta-chart.js'
import { Scroller } from '../scroller.js'
import type { Compared } from './comparison-view.js'

interface Row {
  readonly name: string
  readonly measure: Pick<PairedDelta, 'items' | 'interval'> & {
    readonly baselineMean: number | null
    readonly candidateMean: number | null
    readonly delta: number | null
    readonly permutation?: MeanTest
  }
  readonly shown: (value: number | null) => string
  /** A difference. */
  readonly differs: (value: number) => string
  /** Only rates and scores stand on one scale. */
  readonly isScore: boolean
}

/** Every measure on both sides, with the difference and its interval. */
export function Measures({ comparison }: { readonly comparison: Compared['comparison'] }): JSX.Element {
  const rows = rowsOf(comparison)
  const isAdjusted = rows.some(({ measure }) => (measure.permutation?.tests ?? 1) > 1)
  const span = spanOf(rows.flatMap(({ isScore, measure }) => (isScore ? measure : [])))
  return (
    <section class="part">
      <h2>Measures</h2>
      <p class="quiet small">
        Means over items that both runs have; the interval is of the difference.
        {isAdjusted ? ' p is raised by Holm’s method over all scores.' : ''}
      </p>
      <Scroller label="Measures">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Measure</th>
              <th scope="col" class="number">
                Baseline
              </th>
              <th scope="col" class="number">
                Candidate
              </th>
              <th scope="col" class="number">
                Difference
              </th>
              <th scope="col" class="wide-only" style={{ width: '18rem' }}>
                −{score(span)} to +{score(span)}
              </th>
              <th scope="col" class="middle-only">
                {levelOf(rows)} interval
              </th>
              <th scope="col" class="number middle-only">
                p
              </th>
              <th scope="col" class="number wide-only">
                Items
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <MeasureRow row={row} span={span} key={row.name} />
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}

function MeasureRow({ row, span }: { readonly row: Row; readonly span: number }): JSX.Element {
  const { name, measure, shown, differs, isScore } = row
  const { baselineMean, candidateMean, delta, interval, items, permutation } = measure
  const words = interval === null ? unknown : `${differs(interval.low)} to ${differs(interval.high)}`
  return (
    <tr>
      <th scope="row" class="name-cell">
        {name}
      </th>
      <td class="number">{shown(baselineMean)}</td>
      <td class="number">{shown(candidateMean)}</td>
      <td class="number">{delta === null ? unknown : differs(delta)}</td>
      <td class="wide-only">
        {isScore && delta !== null ? (
          <DeltaChart delta={delta} interval={interval} span={span} label={`${name}: ${differs(delta)}, ${words}`} />
        ) : null}
      </td>
      <td class="middle-only">{words}</td>
      <td class="number middle-only">{pValue(permutation?.adjustedPValue)}</td>
      <td class="number wide-only">{count(items)}</td>
    </tr>
  )
}

function rowsOf({ passRate, scores, efficiency, costUsd, tokens, durationMs }: Compared['comparison']): readonly Row[] {
  const scoreRows = Object.entries(scores).map(
    ([name, measure]: [string, ScoreComparison]): Row => ({ name, measure, ...shownAs(threeDigits), isScore: true }),
  )
  return [
    ...(passRate === null
      ? []
      : [
          {
            name: 'Pass rate',
            measure: passRate,
            shown: percent,
            differs: (value: number) => `${points(value)} points`,
            isScore: true,
          },
        ]),
    ...scoreRows,
    ...Object.entries(efficiency).map(
      ([name, measure]): Row => ({ name: `efficiency ${name}`, measure, ...shownAs(threeDigits), isScore: true }),
    ),
    ...(costUsd === null ? [] : [{ name: 'Cost per trial', measure: costUsd, ...shownAs(dollars), isScore: false }]),
    ...(tokens === null ? [] : [{ name: 'Tokens per trial', measure: tokens, ...shownAs(count), isScore: false }]),
    ...(durationMs === null
      ? []
      : [{ name: 'Time per trial', measure: durationMs, ...shownAs(duration), isScore: false }]),
  ]
}

function shownAs(shown: (value: number | null) => string): Pick<Row, 'shown' | 'differs'> {
  return { shown, differs: (value) => signed(value, shown) }
}

function levelOf(rows: readonly Row[]): string {
  const [interval] = rows.flatMap(({ measure }) => measure.interval ?? [])
  return levelText(interval ?? { level: 0.95 })
}
