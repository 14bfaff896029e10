import { counted, type PairTest, points, pValue, unknown } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { SessionDocument } from '../../src/answers/session.js'
import { shade } from '../charts.js'
import { linkTo } from '../router.js'
import { Table } from '../table.js'

const alpha = 0.05

/** The difference of every two variants with its p value. Each cell opens the comparison. */
export function PairsMatrix(props: {
  readonly document: SessionDocument
  readonly names: readonly string[]
}): JSX.Element {
  const { variants, pairs } = props.document
  const { names } = props
  const rows = variants.map(({ id }, index) => ({ id, index }))
  return (
    <>
      <Table
        label="Pairs"
        look="grid"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Row less column', isRowHeading: true, class: 'name-cell', cell: ({ index }) => names[index] },
          ...rows.map((column) => ({
            title: names[column.index],
            class: 'number',
            cell: (row: { readonly index: number }) => (
              <PairCell pair={pairOf(pairs, column.index, row.index)} variants={variants} />
            ),
            background: (row: { readonly index: number }) => backgroundOf(pairOf(pairs, column.index, row.index)),
          })),
        ]}
      />
      <p class="quiet small">
        Points of the pass rate over the items of both, and p by the sign-flip test of item means, raised by Holm’s
        method over {counted(pairs.length, 'pair')}. Shaded: p is at most {alpha}.
      </p>
    </>
  )
}

/** A pair, and the difference of the row minus the column. */
interface DirectedPair {
  readonly pair: PairTest
  readonly delta: number | null
  readonly baseline: number
  readonly candidate: number
}

function pairOf(pairs: readonly PairTest[], baseline: number, candidate: number): DirectedPair | undefined {
  const [first, second] = [Math.min(baseline, candidate), Math.max(baseline, candidate)]
  const pair = pairs.find((one) => one.first === first && one.second === second)
  if (pair === undefined) return undefined
  const delta = pair.passRate === null ? null : candidate === second ? pair.passRate.delta : -pair.passRate.delta
  return { pair, delta, baseline, candidate }
}

function PairCell(props: {
  readonly pair: DirectedPair | undefined
  readonly variants: SessionDocument['variants']
}): JSX.Element | null {
  const { pair, variants } = props
  const [before, after] = [variants[pair?.baseline ?? -1], variants[pair?.candidate ?? -1]]
  if (pair === undefined || before === undefined || after === undefined) return null
  return (
    <a class="pair-test" href={linkTo(['compare', before.id, after.id])}>
      {pair.delta === null ? unknown : points(pair.delta)}
      <span class="small">p {pValue(pair.pair.passRate?.permutation.adjustedPValue)}</span>
    </a>
  )
}

function backgroundOf(pair: DirectedPair | undefined): string {
  const { delta = null } = pair ?? {}
  const isClear = (pair?.pair.passRate?.permutation.adjustedPValue ?? 1) <= alpha
  return delta === null || !isClear ? '' : shade(delta > 0 ? 'pass' : 'fail', Math.abs(delta))
}
