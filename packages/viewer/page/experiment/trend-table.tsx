import { points, rateInterval, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, pEquals, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ExperimentDocument, TrendPoint } from '../../src/answers/experiment.js'
import { Part } from '../parts.js'
import { linkTo } from '../router.js'
import { type Column, numberColumn, Table } from '../table.js'
import { dateAndTime } from '../text.js'
import { SetupChanges } from './steps.js'

interface Row {
  readonly point: TrendPoint
  readonly before: TrendPoint | undefined
}

export function TrendTable({ document }: { readonly document: ExperimentDocument }): JSX.Element {
  const rows = document.points.map((point, index) => ({ point, before: document.points[index - 1] })).toReversed()
  const k = document.points.find(({ figures }) => figures.repeated !== null)?.figures.repeated?.k
  return (
    <Part title="Runs">
      <div class="trend-table">
        <Table label="Runs" columns={columnsFor(k)} rows={rows} keyOf={({ point }) => point.figures.id} isLow />
      </div>
    </Part>
  )
}

function columnsFor(k: number | undefined): readonly Column<Row>[] {
  return [
    {
      title: 'Run',
      isRowHeading: true,
      class: 'name-cell',
      cell: ({ point: { figures } }) => <a href={linkTo(['runs', figures.id])}>{dateAndTime(figures.startedAt)}</a>,
    },
    numberColumn('Pass rate', ({ point: { figures } }) => percent(figures.passRate)),
    {
      title: '95 % interval',
      class: 'middle-only quiet',
      cell: ({ point: { figures } }) =>
        figures.passRateInterval === null ? unknown : rateInterval(figures.passRateInterval),
    },
    numberColumn('To the run before', (row) => <ToTheRunBefore {...row} />),
    ...(k === undefined
      ? []
      : [
          numberColumn<Row>(`pass^${k}`, ({ point: { figures } }) => percent(figures.repeated?.passHatK), {
            class: 'wide-only',
          }),
        ]),
    numberColumn('Cost per trial', ({ point: { figures } }) => dollars(figures.costPerTrialUsd), {
      class: 'middle-only',
    }),
    numberColumn('Judges', ({ point: { figures } }) => dollars(figures.judgeCostPerTrialUsd), { class: 'wide-only' }),
    numberColumn('Agent, median', ({ point: { figures } }) => duration(figures.agentMedianMs), { class: 'wide-only' }),
    {
      title: 'Changed since the run before',
      class: 'middle-only small',
      cell: ({ point: { changes } }) => <SetupChanges changes={changes} />,
    },
  ]
}

/** The difference as a link to the comparison. Its p value is adjusted for all steps. */
function ToTheRunBefore({ point: { figures, change }, before }: Row): JSX.Element {
  const delta = change?.passRate
  if (before === undefined) return <span class="quiet">the first</span>
  const href = linkTo(['compare', before.figures.id, figures.id])
  if (delta === undefined || delta === null) return <a href={href}>compare</a>
  return (
    <>
      <a href={href}>{points(delta.delta)} points</a>{' '}
      {delta.permutation.adjustedPValue < 1 ? (
        <span class="quiet small">{pEquals(delta.permutation.adjustedPValue)}</span>
      ) : null}
    </>
  )
}
