import { grouped, unknown } from '@jurist/experiment/internal/results'
import { dollars, percent } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { Gauge } from '../charts.js'
import { RunStatusWord } from '../marks.js'
import { changeQuery, linkTo } from '../router.js'
import { type Column, numberColumn, Table } from '../table.js'
import { dateAndTime } from '../text.js'
import { chosenRuns, toggledRun } from './run-selection.js'

/** Runs as a table, each with a checkbox to choose it for a comparison. */
export function RunsTable({
  runs,
  query,
}: {
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}): JSX.Element {
  const choice: Column<RunEntry> = {
    title: <span class="hidden">Compare</span>,
    width: '2.6rem',
    cell: (run) => <CompareBox run={run} chosen={chosenRuns(query)} />,
  }
  return (
    <Table label="Runs" look="roomy" columns={[choice, ...columns]} rows={runs} keyOf={({ id }) => id} query={query} />
  )
}

const columns: readonly Column<RunEntry>[] = [
  {
    title: 'Experiment',
    sort: 'experiment',
    isRowHeading: true,
    class: 'name-cell',
    cell: ({ id, experimentName, excluded }) => (
      <>
        <a href={linkTo(['runs', id])}>{experimentName}</a>
        {excluded === null ? null : <span class="tag">excluded: {excluded}</span>}
      </>
    ),
  },
  { title: 'Variant', sort: 'variant', cell: ({ variant }) => variant ?? <span class="quiet">{unknown}</span> },
  { title: 'Started', sort: 'started', class: 'middle-only', cell: ({ startedAt }) => dateAndTime(startedAt) },
  { title: 'Status', sort: 'status', class: 'middle-only', cell: ({ status }) => <RunStatusWord status={status} /> },
  numberColumn(
    'Passed',
    ({ counts }) => (
      <>
        {grouped(counts.passes)} <span class="quiet">of {grouped(counts.decided)}</span>
      </>
    ),
    { sort: 'passed', class: 'wide-only' },
  ),
  numberColumn(
    'Pass rate',
    ({ passRate }) => (
      <>
        <span class="wide-only">
          <Gauge share={passRate} />{' '}
        </span>
        {percent(passRate)}
      </>
    ),
    { sort: 'rate' },
  ),
  numberColumn('Undecided', ({ counts }) => grouped(counts.undecided), { sort: 'undecided', class: 'wide-only' }),
  numberColumn('Cost', ({ costUsd }) => dollars(costUsd), { sort: 'cost', class: 'middle-only' }),
]

function CompareBox({
  run: { id, experimentName, variant, startedAt },
  chosen,
}: {
  readonly run: RunEntry
  readonly chosen: readonly string[]
}): JSX.Element {
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${experimentName} ${variant ?? ''} of ${dateAndTime(startedAt)}`}
      checked={chosen.includes(id)}
      onChange={() => changeQuery({ compare: toggledRun(chosen, id).join(',') })}
    />
  )
}
