import type { ConditionDifference } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { Scroller } from '../scroller.js'

/** The conditions that differ between two runs. */
export function Differences({
  differences,
}: {
  readonly differences: readonly ConditionDifference[]
}): JSX.Element | null {
  if (differences.length === 0) return null
  return (
    <section class="part">
      <h2>What was different</h2>
      <Scroller label="What was different">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Condition</th>
              <th scope="col">Baseline</th>
              <th scope="col">Candidate</th>
              <th scope="col">Note</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ condition, baseline, candidate, reason, allowed }) => (
              <tr key={condition}>
                <th scope="row">{condition}</th>
                <td class="code">{JSON.stringify(baseline)}</td>
                <td class="code">{JSON.stringify(candidate)}</td>
                <td class="quiet">
                  {reason === 'undeclared' ? 'declared by one only' : ''}
                  {allowed ? '' : ' not meant to differ'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}
