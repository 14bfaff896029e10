import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { count, percent, pValue, score } from '../amounts.js'
import { Scroller } from '../scroller.js'

type AltTest = NonNullable<CalibrationDocument['report']['altTest']>

/** Whether the judge may take the place of annotators, by the alternative annotator test. */
export function Annotators({ altTest }: { readonly altTest: AltTest }): JSX.Element {
  const { annotators, constant, epsilon, q, minimumItems, excluded } = altTest
  return (
    <section class="part">
      <h2>Beside annotators</h2>
      <p>
        {verdictOf(altTest)}: {winning(altTest)}.
      </p>
      <p class="quiet small">
        Epsilon {epsilon}, false discovery rate {q}, annotators with at least {count(minimumItems)} items
        {excluded.length === 0 ? '' : `; excluded: ${excluded.join(', ')}`}.
        {constant === null ? '' : ` Always saying ${constant.label} gets: ${winning(constant)}.`}
      </p>
      <Scroller label="Beside annotators">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Annotator</th>
              {['Items', 'Judge', 'Annotator', 'p'].map((title, index) => (
                <th scope="col" class="number" key={`${title} ${index}`}>
                  {title}
                </th>
              ))}
              <th scope="col">Won</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(annotators).map(([name, one]) => (
              <tr key={name}>
                <th scope="row" class="name-cell">
                  {name}
                </th>
                <td class="number">{count(one.items)}</td>
                <td class="number">{score(one.advantage)}</td>
                <td class="number">{score(one.humanAdvantage)}</td>
                <td class="number">{pValue(one.pValue)}</td>
                <td>{one.rejected ? 'yes' : 'no'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}

function verdictOf({ passes }: AltTest): string {
  if (passes === null) return 'Not decided'
  return passes ? 'The judge may replace annotators' : 'The judge may not replace annotators'
}

function winning({ winningRate, averageAdvantage }: Pick<AltTest, 'winningRate' | 'averageAdvantage'>): string {
  return `winning rate ${percent(winningRate)}, average advantage ${score(averageAdvantage)}`
}
