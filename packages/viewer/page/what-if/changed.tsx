import type { JSX } from 'preact'
import type { BallotsDocument } from '../../src/answers/ballots.js'
import type { WhatIf } from '../../src/what-if/changed-trials.js'
import type { Revoted } from '../../src/what-if/revote.js'
import { count, percent } from '../amounts.js'
import { Figures } from '../figures.js'
import { OutcomeMark } from '../outcome-mark.js'
import { linkTo } from '../place.js'
import { Scroller } from '../scroller.js'

/** Longer lists are cut: what matters then is the figure above. */
const mostShown = 500

/** What would have become of the run, and which trials would have ended otherwise. */
export function Changed({
  found,
  ballots: { trials },
  run,
  isTouched,
}: {
  readonly found: WhatIf | undefined
  readonly ballots: BallotsDocument
  readonly run: string
  readonly isTouched: boolean
}): JSX.Element {
  const decided = trials.filter(({ passed }) => passed !== null).length
  const passes = trials.filter(({ passed }) => passed === true).length
  const { changed = [], passes: now = passes, decided: nowDecided = decided, unknown = 0 } = found ?? {}
  return (
    <section class="part" aria-live="polite">
      <Figures
        figures={[
          { name: 'Passed, as it was', value: rate(passes, decided), basis: `${count(passes)} of ${count(decided)}` },
          { name: 'Passed, as set', value: rate(now, nowDecided), basis: `${count(now)} of ${count(nowDecided)}` },
          { name: 'Trials that change', value: count(changed.length), basis: `of ${count(trials.length)}` },
          { name: 'Cannot be told', value: count(unknown), basis: 'a tier would be needed that did not run' },
        ]}
      />
      {changed.length === 0 ? (
        <p class="empty">
          {isTouched ? 'Every trial would have ended as it did.' : 'Change something above to see what follows.'}
        </p>
      ) : (
        <ChangedTable changed={changed} run={run} />
      )}
    </section>
  )
}

function rate(passes: number, decided: number): string {
  return percent(decided === 0 ? null : passes / decided)
}

function ChangedTable({ changed, run }: { readonly changed: WhatIf['changed']; readonly run: string }): JSX.Element {
  return (
    <Scroller label="Trials that change">
      <table class="compact">
        <caption>
          Trials that would have ended otherwise
          {changed.length > mostShown ? `, the first ${mostShown} of ${count(changed.length)}` : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Was</th>
            <th scope="col">Would be</th>
          </tr>
        </thead>
        <tbody>
          {changed.slice(0, mostShown).map(({ itemId, repetition, from, to }) => (
            <tr key={`${itemId} ${repetition}`}>
              <th scope="row" class="name-cell">
                <a href={linkTo(['runs', run, 'items', itemId, repetition])}>{itemId}</a>{' '}
                <span class="quiet small">#{repetition}</span>
              </th>
              <td>
                <OutcomeMark outcome={from === null ? 'undecided' : from ? 'pass' : 'fail'} />
              </td>
              <td>
                <WouldBe outcome={to} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

function WouldBe({ outcome }: { readonly outcome: Revoted }): JSX.Element {
  return outcome === 'unknown' ? <span class="quiet">cannot be told</span> : <OutcomeMark outcome={outcome} />
}
