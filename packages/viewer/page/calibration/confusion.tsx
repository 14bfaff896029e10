import type { JSX } from 'preact'
import type { CalibrationDocument } from '../../src/answers/calibration.js'
import { count, percent } from '../amounts.js'
import { shade } from '../charts/shade.js'
import { Scroller } from '../scroller.js'

/** What was expected against what was judged, and how each class fares. */
export function Confusion({
  report: { confusion, perClass },
}: {
  readonly report: CalibrationDocument['report']
}): JSX.Element {
  const { labels, matrix, unscored } = confusion
  const most = Math.max(1, ...matrix.flat())
  return (
    <section class="part">
      <h2>Confusion matrix</h2>
      {labels.length === 0 ? <p class="empty">Nothing was scored.</p> : null}
      <Scroller label="Confusion matrix">
        <table class="compact">
          <thead>
            <tr>
              <th scope="col">Expected</th>
              {labels.map((label) => (
                <th scope="col" class="number" key={label}>
                  judged {label}
                </th>
              ))}
              <th scope="col" class="number">
                unscored
              </th>
              <th scope="col" class="number">
                recall
              </th>
              <th scope="col" class="number">
                precision
              </th>
            </tr>
          </thead>
          <tbody>
            {labels.map((label, row) => (
              <tr key={label}>
                <th scope="row" class="name-cell">
                  {label}
                </th>
                {labels.map((other, column) => {
                  const trials = matrix[row]?.[column] ?? 0
                  const tone = row === column ? 'pass' : 'fail'
                  return (
                    <td class="number" key={other} style={{ background: shade(tone, trials / most) }}>
                      {count(trials)}
                    </td>
                  )
                })}
                <td class="number quiet">{count(ownOf(unscored, label) ?? 0)}</td>
                <td class="number">{percent(ownOf(perClass, label)?.recall)}</td>
                <td class="number">{percent(ownOf(perClass, label)?.precision)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </section>
  )
}

function ownOf<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
