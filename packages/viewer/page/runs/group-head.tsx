import { counted, points } from '@jurist/experiment/internal/results'
import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Sparkline } from '../charts.js'
import { linkTo } from '../router.js'
import type { RunGroup } from './run-selection.js'

const mostRuns = 40

/** The experiment of a group: its trend, and its last run compared with the previous one. */
export function GroupHead({ group, columns }: { readonly group: RunGroup; readonly columns: number }): JSX.Element {
  const { experimentName, all, trend } = group
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={columns}>
        <div class="row group-head">
          <a class="group-name" href={linkTo(['experiments', experimentName])}>
            {experimentName}
          </a>
          <span class="quiet small">{counted(all.length, 'run')}</span>
          {trend.length < 2 ? null : (
            <>
              <Sparkline shares={trend.slice(-mostRuns).map(({ passRate }) => passRate)} />
              <span class="small">
                {trend[0]?.variant == null ? '' : <span class="quiet">{trend[0].variant} </span>}
                {lastText(group)}
              </span>
            </>
          )}
        </div>
      </th>
    </tr>
  )
}

/** Returns `80.0 %, -1.7 points to the run before`. */
function lastText({ trend }: RunGroup): string {
  const [last, before] = [trend.at(-1)?.passRate ?? null, trend.at(-2)?.passRate ?? null]
  const delta = last === null || before === null ? null : last - before
  return delta === null ? percent(last) : `${percent(last)}, ${points(delta)} points to the run before`
}
