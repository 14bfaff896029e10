import { grouped, type JudgePair } from '@jurist/experiment/internal/results'
import { percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { shade } from '../charts.js'
import { Part } from '../parts.js'
import { type Column, nameColumn, Table } from '../table.js'

/** With more judges than this, the matrix becomes a list of pairs. */
const mostInMatrix = 12

/** The agreement of every two judges, kappa and the share of trials, over the trials that both passed or failed. */
export function Agreement(props: {
  readonly judges: readonly string[]
  readonly pairs: readonly JudgePair[]
}): JSX.Element {
  const { judges, pairs } = props
  return (
    <Part title="Agreement of judges">
      <p class="quiet small">
        Cohen's kappa, the share of trials on which both agree, and n: the trials that both passed or failed.
        {furthestApart(pairs)}
      </p>
      {judges.length > mostInMatrix ? (
        <Table label="Agreement of judges" rows={byKappa(pairs)} keyOf={keyOfPair} columns={pairColumns} isLow />
      ) : (
        <Table
          label="Agreement of judges"
          look="grid"
          rows={judges}
          keyOf={(judge) => judge}
          columns={[
            nameColumn<string>('Judge', (judge) => judge),
            ...judges.slice(1).map((column): Column<string> => matrixColumn(column, judges, pairs)),
          ]}
        />
      )}
    </Part>
  )
}

function keyOfPair({ first, second }: JudgePair): string {
  return `${first} ${second}`
}

function byKappa(pairs: readonly JudgePair[]): readonly JudgePair[] {
  return pairs.toSorted((a, b) => (a.kappa.value ?? 2) - (b.kappa.value ?? 2))
}

function furthestApart(pairs: readonly JudgePair[]): string {
  const [least] = byKappa(pairs)
  if (pairs.length < 2 || least === undefined || least.kappa.value === null) return ''
  return ` Furthest apart: ${least.first} and ${least.second}.`
}

/** The pairs of one judge with the judges before it. */
function matrixColumn(column: string, judges: readonly string[], pairs: readonly JudgePair[]): Column<string> {
  const pairWith = (row: string) =>
    judges.indexOf(row) < judges.indexOf(column)
      ? pairs.find(({ first, second }) => first === row && second === column)
      : undefined
  return {
    title: column,
    class: 'number',
    background: (row) => {
      const kappa = pairWith(row)?.kappa.value ?? null
      return kappa === null || kappa <= 0 ? '' : shade('accent', kappa)
    },
    cell: (row) => {
      const pair = pairWith(row)
      return pair === undefined ? '' : <PairCell pair={pair} />
    },
  }
}

function PairCell({ pair: { n, agreed, kappa } }: { readonly pair: JudgePair }): JSX.Element {
  return (
    <>
      {score(kappa.value)}
      <span class="quiet small">
        {' '}
        {percent(agreed / n)} of {grouped(n)}
      </span>
    </>
  )
}

const pairColumns: readonly Column<JudgePair>[] = [
  nameColumn('Judges', ({ first, second }) => `${first} and ${second}`),
  { title: 'Kappa, agreement', class: 'number', cell: (pair) => <PairCell pair={pair} /> },
]
