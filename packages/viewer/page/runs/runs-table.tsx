import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { count, dollars, instant, percent, unknown } from '../amounts.js'
import { Gauge } from '../gauge.js'
import { linkTo } from '../place.js'
import { RunStatusWord } from '../run-status.js'
import { Scroller } from '../scroller.js'
import { SortHeading } from '../sort-heading.js'
import { choose, chosenRuns } from './chosen-runs.js'

/** Runs as a table, each with a box to choose it. */
export function RunsTable({
  runs,
  query,
}: {
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}): JSX.Element {
  const heading = (column: string, name: string, className?: string) => (
    <SortHeading column={column} query={query} class={className ?? ''}>
      {name}
    </SortHeading>
  )
  return (
    <Scroller label="Runs">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Compare</span>
            </th>
            {heading('experiment', 'Experiment')}
            {heading('variant', 'Variant')}
            {heading('started', 'Started', 'middle-only')}
            {heading('status', 'Status', 'middle-only')}
            {heading('passed', 'Passed', 'number wide-only')}
            {heading('rate', 'Pass rate', 'number')}
            {heading('undecided', 'Undecided', 'number wide-only')}
            {heading('cost', 'Cost', 'number middle-only')}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow run={run} query={query} key={run.id} />
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function RunRow({ run, query }: { readonly run: RunEntry; readonly query: URLSearchParams }): JSX.Element {
  const { id, experimentName, variant, counts, passRate } = run
  return (
    <tr>
      <td style={{ width: '2.6rem' }}>
        <input
          type="checkbox"
          aria-label={`Compare ${experimentName} ${variant ?? ''} of ${instant(run.startedAt)}`}
          checked={chosenRuns(query).includes(id)}
          onChange={() => choose(query, id)}
        />
      </td>
      <th scope="row" class="name-cell">
        <a href={linkTo(['runs', id])}>{experimentName}</a>
        {run.excluded === null ? null : <span class="tag">left out: {run.excluded}</span>}
      </th>
      <td>{variant ?? <span class="quiet">{unknown}</span>}</td>
      <td class="middle-only">{instant(run.startedAt)}</td>
      <td class="middle-only">
        <RunStatusWord status={run.status} />
      </td>
      <td class="number wide-only">
        {count(counts.passes)} <span class="quiet">of {count(counts.decided)}</span>
      </td>
      <td class="number">
        <span class="wide-only">
          <Gauge share={passRate} />{' '}
        </span>
        {percent(passRate)}
      </td>
      <td class="number wide-only">{count(counts.undecided)}</td>
      <td class="number middle-only">{dollars(run.costUsd)}</td>
    </tr>
  )
}
