import type { JSX } from 'preact'
import type { RunDocument } from '../../src/answers/run.js'
import type { VariantsDocument } from '../../src/answers/variants.js'
import { count, dollars, duration, percent, unknown } from '../amounts.js'
import { IntervalChart } from '../charts/interval-chart.js'
import { linkTo } from '../place.js'
import { Scroller } from '../scroller.js'
import { useDocument } from '../source.js'
import { intervalText } from './run-figures.js'

/** The variants of the session side by side; nothing for a run that stands alone. */
export function Variants({ document: { run, variants } }: { readonly document: RunDocument }): JSX.Element | null {
  const loading = useDocument<VariantsDocument>(['runs', run.id, 'variants'])
  if (variants.length < 2) return null
  const known = loading.state === 'there' ? loading.document.variants : []
  const rows = variants.map((entry) => known.find(({ id }) => id === entry.id) ?? { ...entry, ...notYet })
  return (
    <section class="part">
      <h2>Variants of the session {run.session}</h2>
      <Scroller label="Variants">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" class="number">
                Passed
              </th>
              <th scope="col" class="number">
                Pass rate
              </th>
              <th scope="col" class="middle-only" style={{ width: '18rem' }}>
                95 % interval
              </th>
              <th scope="col" class="number wide-only">
                Cost per trial
              </th>
              <th scope="col" class="number wide-only">
                Agent, median
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row" class="name-cell">
                  {row.id === run.id ? (
                    (row.variant ?? unknown)
                  ) : (
                    <a href={linkTo(['runs', row.id])}>{row.variant ?? row.id}</a>
                  )}
                </th>
                <td class="number">
                  {count(row.counts.passes)} <span class="quiet">of {count(row.counts.decided)}</span>
                </td>
                <td class="number">{percent(row.passRate)}</td>
                <td class="middle-only">
                  <IntervalChart
                    value={row.passRate}
                    interval={row.passRateInterval}
                    label={`${row.variant}: ${intervalText(row.passRateInterval)}`}
                  />
                </td>
                <td class="number wide-only">{dollars(row.costPerTrialUsd)}</td>
                <td class="number wide-only">{duration(row.agentMedianMs)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}

const notYet = { passRateInterval: null, costPerTrialUsd: null, agentMedianMs: null } as const
