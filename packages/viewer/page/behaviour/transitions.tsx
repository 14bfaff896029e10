import type { TransitionModel } from '@jurist/experiment/journal'
import type { JSX } from 'preact'
import { percent, unknown } from '../amounts.js'
import { shade } from '../charts/shade.js'
import { Scroller } from '../scroller.js'

/** What follows what, as shares of each row; then how far each state is from the end, and where it ends. */
export function Transitions({ model }: { readonly model: TransitionModel }): JSX.Element {
  const { states, absorbing, matrix, expectedSteps, absorption } = model
  const columns = [...states, ...absorbing]
  return (
    <>
      <section class="part">
        <h2>What follows what</h2>
        <p class="quiet small">Of a hundred calls of the kind on the left, so many are followed by the kind above.</p>
        <Scroller label="Transition matrix">
          <table class="compact grid-table">
            <thead>
              <tr>
                <th scope="col">After</th>
                {columns.map((name) => (
                  <th scope="col" class="number" key={name}>
                    {absorbing.includes(name) ? `end: ${name}` : name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {states.map((state, row) => (
                <tr key={state}>
                  <th scope="row" class="name-cell">
                    {state}
                  </th>
                  {columns.map((name, column) => {
                    const share = matrix[row]?.[column] ?? 0
                    return (
                      <td class="number" key={name} style={{ background: shade('accent', share) }}>
                        {share === 0 ? <span class="quiet">{unknown}</span> : percent(share)}
                      </td>
                    )
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      </section>
      <section class="part">
        <h2>How it ends from there</h2>
        <Scroller label="How it ends">
          <table class="compact grid-table">
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col" class="number">
                  Calls to the end
                </th>
                {absorbing.map((end) => (
                  <th scope="col" class="number" key={end}>
                    {end}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {states.map((state) => (
                <tr key={state}>
                  <th scope="row" class="name-cell">
                    {state}
                  </th>
                  <td class="number">{stepsText(expectedSteps[state])}</td>
                  {absorbing.map((end) => (
                    <td class="number" key={end} style={{ background: shade('accent', absorption[state]?.[end] ?? 0) }}>
                      {percent(absorption[state]?.[end])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      </section>
    </>
  )
}

function stepsText(steps: number | null | undefined): string {
  return steps === null || steps === undefined ? unknown : steps.toFixed(1)
}
