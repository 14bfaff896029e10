import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { count, dollars, instant, percent, unknown } from './amounts.js'
import { linkTo } from './place.js'
import { useDocument } from './source.js'
import { State } from './state.js'

/** All runs of the store. */
export function RunsView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<{ readonly runs: readonly RunEntry[] }>(['runs'], undefined, 2_000)
  return (
    <>
      <h1>Runs</h1>
      <State of={loading}>
        {({ runs }) => (runs.length === 0 ? <NoRuns /> : <RunsTable runs={runs} query={query} />)}
      </State>
    </>
  )
}

function NoRuns(): JSX.Element {
  return (
    <p class="empty">
      This store is empty. Make the first run: <code>jurist run</code>
    </p>
  )
}

function RunsTable({ runs }: { readonly runs: readonly RunEntry[]; readonly query: URLSearchParams }): JSX.Element {
  return (
    <div class="scroller">
      <table>
        <thead>
          <tr>
            <th>Experiment</th>
            <th>Variant</th>
            <th>Started</th>
            <th>Status</th>
            <th class="number">Passed</th>
            <th class="number">Pass rate</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <a href={linkTo(['runs', run.id])}>{run.experimentName}</a>
              </td>
              <td>{run.variant ?? unknown}</td>
              <td>{instant(run.startedAt)}</td>
              <td>{run.status}</td>
              <td class="number">
                {count(run.counts.passes)} of {count(run.counts.decided)}
              </td>
              <td class="number">{percent(run.passRate)}</td>
              <td class="number">{dollars(run.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
