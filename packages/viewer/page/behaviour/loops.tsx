import type { JSX } from 'preact'
import type { LoopedTrial } from '../../src/files/behaviour.js'
import { OutcomeMark } from '../outcome-mark.js'
import { linkTo } from '../place.js'
import { Scroller } from '../scroller.js'

/** Trials that did the same over and over. */
export function Loops({ loops, run }: { readonly loops: readonly LoopedTrial[]; readonly run: string }): JSX.Element {
  return (
    <section class="part">
      <h2>Loops</h2>
      {loops.length === 0 ? (
        <p class="empty">No agent did the same three times in a row.</p>
      ) : (
        <Scroller label="Loops" isLow>
          <table class="compact">
            <thead>
              <tr>
                <th scope="col">Item</th>
                <th scope="col">Outcome</th>
                <th scope="col">The same over and over</th>
              </tr>
            </thead>
            <tbody>
              {loops.map(({ itemId, repetition, outcome, loops: found }) => (
                <tr key={`${itemId} ${repetition}`}>
                  <th scope="row" class="name-cell">
                    <a href={linkTo(['runs', run, 'items', itemId, repetition, 'journal'])}>{itemId}</a>{' '}
                    <span class="quiet small">#{repetition}</span>
                  </th>
                  <td>
                    <OutcomeMark outcome={outcome} />
                  </td>
                  <td>
                    {found
                      .map(({ pattern, repeats, kind }) => `${pattern.join(', ')} × ${repeats} (${kind})`)
                      .join('; ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
    </section>
  )
}
