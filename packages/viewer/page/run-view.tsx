import type { JSX } from 'preact'
import type { ItemsDocument } from '../src/answers/items.js'
import type { RunDocument } from '../src/answers/run.js'
import { count, dollars, duration, percent, score } from './amounts.js'
import { OutcomeMark } from './outcome-mark.js'
import { linkTo } from './place.js'
import { useDocument } from './source.js'
import { State } from './state.js'

/** One run. */
export function RunView({ id }: { readonly id: string; readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<RunDocument>(['runs', id])
  return <State of={loading}>{(document) => <Run document={document} />}</State>
}

function Run({ document: { run, scoreKeys } }: { readonly document: RunDocument }): JSX.Element {
  const items = useDocument<ItemsDocument>(['runs', run.id, 'items'])
  return (
    <>
      <h1>{run.experimentName}</h1>
      <p class="quiet">
        {run.variant} · {run.status} · {percent(run.passRate)} of {count(run.counts.decided)} decided
      </p>
      <State of={items}>
        {({ rows }) => (
          <div class="scroller">
            <table>
              <thead>
                <tr>
                  <th>Item</th>
                  <th>Outcome</th>
                  {scoreKeys.map((key) => (
                    <th class="number" key={key}>
                      {key}
                    </th>
                  ))}
                  <th class="number">Cost</th>
                  <th class="number">Time</th>
                  <th>Reason</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.index}>
                    <td>
                      <a href={linkTo(['runs', run.id, 'items', row.itemId, row.repetition])}>
                        {row.itemId} #{row.repetition}
                      </a>
                    </td>
                    <td>
                      <OutcomeMark outcome={row.outcome} />
                    </td>
                    {row.scores.map((value, at) => (
                      <td class="number" key={scoreKeys[at]}>
                        {score(value)}
                      </td>
                    ))}
                    <td class="number">{dollars(row.costUsd)}</td>
                    <td class="number">{duration(row.durationMs)}</td>
                    <td>{row.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </State>
    </>
  )
}
