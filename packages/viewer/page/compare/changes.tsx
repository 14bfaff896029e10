import { changeKinds, changeWord, type ItemChange } from '@jurist/experiment/compare'
import type { JSX } from 'preact'
import { count, threeDigits, unknown } from '../amounts.js'
import { OutcomeMark } from '../outcome-mark.js'
import { changeQuery, linkTo } from '../place.js'
import { Scroller } from '../scroller.js'
import type { Compared } from './comparison-view.js'

/** The items one by one: those that flipped come first. */
export function Changes({
  document: { comparison, items, totalItems },
  query,
}: {
  readonly document: Compared
  readonly query: URLSearchParams
}): JSX.Element {
  const wanted = query.get('change')
  const shown = items.filter(({ change, flips }) =>
    wanted === null ? change !== 'unchanged' || flips.length > 0 : change === wanted,
  )
  return (
    <section class="part">
      <h2>Items</h2>
      <div class="tools">
        <fieldset class="choices">
          <legend class="hidden">Only items that</legend>
          {changeKinds
            .filter((change) => comparison.changes[change] > 0)
            .map((change) => (
              <button
                type="button"
                key={change}
                aria-pressed={change === wanted}
                onClick={() => changeQuery({ change: change === wanted ? undefined : change })}
              >
                {changeWord(change)} {count(comparison.changes[change])}
              </button>
            ))}
        </fieldset>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{wanted === null ? 'No item changed.' : 'No item fits.'}</p>
      ) : (
        <Scroller label="Items" isLow>
          <table class="compact">
            <thead>
              <tr>
                <th scope="col">Item</th>
                <th scope="col">Change</th>
                <th scope="col">Flips</th>
                <th scope="col" class="wide-only">
                  Scores that moved
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((item) => (
                <ChangeRow item={item} runs={comparison} key={item.itemId} />
              ))}
            </tbody>
          </table>
        </Scroller>
      )}
      {items.length < totalItems ? (
        <p class="quiet small">
          The first {count(items.length)} of {count(totalItems)} items; flips come first.
        </p>
      ) : null}
    </section>
  )
}

function ChangeRow({
  item: { itemId, change, flips, baselineScores, candidateScores, scoreDeltas },
  runs: { baseline, candidate },
}: {
  readonly item: ItemChange
  readonly runs: Compared['comparison']
}): JSX.Element {
  const moved = Object.entries(scoreDeltas).filter(([, delta]) => Math.abs(delta) > 1e-9)
  return (
    <tr>
      <th scope="row" class="name-cell">
        {itemId}
      </th>
      <td>{changeWord(change)}</td>
      <td>
        {flips.length === 0 ? (
          <span class="quiet">{unknown}</span>
        ) : (
          flips.map(({ repetition, from, to }) => (
            <div key={repetition} class="flip">
              <a href={linkTo(['runs', baseline.id, 'items', itemId, repetition])}>
                <OutcomeMark outcome={outcomeOf(from)} />
              </a>
              <span class="arrow" aria-hidden="true">
                →
              </span>
              <span class="hidden">then</span>
              <a href={linkTo(['runs', candidate.id, 'items', itemId, repetition])}>
                <OutcomeMark outcome={outcomeOf(to)} />
              </a>{' '}
              <span class="quiet small">#{repetition}</span>
            </div>
          ))
        )}
      </td>
      <td class="wide-only small">
        {moved.map(([key]) => (
          <div key={key}>
            <span class="quiet">{key}</span> {threeDigits(baselineScores[key])} → {threeDigits(candidateScores[key])}
          </div>
        ))}
      </td>
    </tr>
  )
}

function outcomeOf(passed: boolean | null) {
  return passed === null ? 'undecided' : passed ? 'pass' : 'fail'
}
