import { grouped, type VariantFigures } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { SessionDocument } from '../../src/answers/session.js'
import { IntervalChart } from '../charts.js'
import { RunStatusWord } from '../marks.js'
import { linkTo, sortedRows } from '../router.js'
import { type Column, numberColumn, Table } from '../table.js'
import { intervalText } from '../text.js'

interface Row extends VariantFigures {
  readonly name: string
  readonly isOnFront: boolean
}

export function VariantsTable(props: {
  readonly document: SessionDocument
  readonly names: readonly string[]
  readonly query: URLSearchParams
}): JSX.Element {
  const { variants, front } = props.document
  const { names, query } = props
  const rows = variants.map((one, index) => ({
    ...one,
    name: names[index] ?? one.id,
    isOnFront: front.includes(index),
  }))
  return (
    <div class="variants">
      <Table
        label="Variants"
        look="roomy"
        columns={columnsFor(rows)}
        rows={sortedRows(rows, query, sortValues)}
        keyOf={({ id }) => id}
        query={query}
      />
    </div>
  )
}

const sortValues: Readonly<Record<string, (row: Row) => string | number | null>> = {
  variant: ({ name }) => name,
  rate: ({ passRate }) => passRate,
  pass: ({ repeated }) => repeated?.passHatK ?? null,
  flaky: ({ flakyItems }) => flakyItems,
  cost: ({ costPerTrialUsd }) => costPerTrialUsd,
  judges: ({ judgeCostPerTrialUsd }) => judgeCostPerTrialUsd,
  time: ({ agentMedianMs }) => agentMedianMs,
}

function columnsFor(rows: readonly Row[]): readonly Column<Row>[] {
  const k = rows.find(({ repeated }) => repeated !== null)?.repeated?.k
  return [
    {
      title: 'Variant',
      sort: 'variant',
      isRowHeading: true,
      class: 'name-cell',
      cell: ({ id, name, status, isOnFront }) => (
        <>
          <a href={linkTo(['runs', id])}>{name}</a>{' '}
          {isOnFront ? (
            <span class="tag" title="On the Pareto front: no other variant costs less and passes as much">
              front
            </span>
          ) : null}
          {status === 'completed' ? null : <RunStatusWord status={status} />}
        </>
      ),
    },
    numberColumn(
      'Pass rate',
      ({ passRate, counts }) => (
        <>
          {percent(passRate)}{' '}
          <span class="quiet small">{`${grouped(counts.passes)} of ${grouped(counts.decided)}`}</span>
        </>
      ),
      { sort: 'rate' },
    ),
    {
      title: '95 % interval',
      class: 'wide-only',
      width: '18rem',
      cell: ({ name, passRate, passRateInterval }) => (
        <IntervalChart
          value={passRate}
          interval={passRateInterval}
          label={`${name}: ${intervalText(passRateInterval)}`}
        />
      ),
    },
    ...repeatedColumns(k),
    numberColumn('Cost per trial', ({ costPerTrialUsd }) => dollars(costPerTrialUsd), { sort: 'cost' }),
    numberColumn('of which judges', ({ judgeCostPerTrialUsd }) => dollars(judgeCostPerTrialUsd), {
      sort: 'judges',
      class: 'middle-only',
    }),
    numberColumn('Agent, median', ({ agentMedianMs }) => duration(agentMedianMs), {
      sort: 'time',
      class: 'middle-only',
    }),
  ]
}

/** The reliability of a variant, if items were repeated. */
function repeatedColumns(k: number | undefined): readonly Column<Row>[] {
  if (k === undefined) return []
  return [
    numberColumn(`pass^${k}`, ({ repeated }) => percent(repeated?.passHatK), { sort: 'pass' }),
    numberColumn('Flaky', ({ flakyItems }) => grouped(flakyItems), { sort: 'flaky', class: 'wide-only' }),
  ]
}
