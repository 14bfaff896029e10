import type { ItemChange } from '@jurist/experiment/compare'
import { changeKinds, changeWord, grouped, threeDigits, unknown } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { ComparisonDocument } from '../../src/answers/comparison.js'
import { FilterButtons } from '../filters.js'
import { decidedOutcome, OutcomeMark } from '../marks.js'
import { Part } from '../parts.js'
import { linkTo, trialPath } from '../router.js'
import { type Column, nameColumn, Table } from '../table.js'

type Compared = Extract<ComparisonDocument, { readonly state: 'compared' }>

/** The items of both runs. Items that flipped come first. */
export function ChangedItems({
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
    <Part title="Items">
      <div class="tools">
        <FilterButtons
          legend="Only items that"
          parameter="change"
          chosen={wanted}
          values={changeKinds.filter((change) => comparison.changes[change] > 0)}
        >
          {(change) => `${changeWord(change)} ${grouped(comparison.changes[change])}`}
        </FilterButtons>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{wanted === null ? 'No item changed.' : 'No item matches.'}</p>
      ) : (
        <Table label="Items" isLow columns={columnsFor(comparison)} rows={shown} keyOf={({ itemId }) => itemId} />
      )}
      {items.length < totalItems ? (
        <p class="quiet small">
          The first {grouped(items.length)} of {grouped(totalItems)} items. Flips come first.
        </p>
      ) : null}
    </Part>
  )
}

function columnsFor({ baseline, candidate }: Compared['comparison']): readonly Column<ItemChange>[] {
  return [
    nameColumn('Item', ({ itemId }) => itemId),
    { title: 'Change', cell: ({ change }) => changeWord(change) },
    { title: 'Flips', cell: (item) => <Flips item={item} baseline={baseline.id} candidate={candidate.id} /> },
    { title: 'Scores that changed', class: 'wide-only small', cell: (item) => <ChangedScores item={item} /> },
  ]
}

function Flips({
  item: { itemId, flips },
  baseline,
  candidate,
}: {
  readonly item: ItemChange
  readonly baseline: string
  readonly candidate: string
}): JSX.Element {
  if (flips.length === 0) return <span class="quiet">{unknown}</span>
  return (
    <>
      {flips.map(({ repetition, from, to }) => (
        <div key={repetition} class="flip">
          <a href={linkTo(trialPath({ run: baseline, itemId, repetition }))}>
            <OutcomeMark outcome={decidedOutcome(from)} />
          </a>
          <span class="arrow" aria-hidden="true">
            →
          </span>
          <span class="hidden">then</span>
          <a href={linkTo(trialPath({ run: candidate, itemId, repetition }))}>
            <OutcomeMark outcome={decidedOutcome(to)} />
          </a>{' '}
          <span class="quiet small">#{repetition}</span>
        </div>
      ))}
    </>
  )
}

function ChangedScores({
  item: { baselineScores, candidateScores, scoreDeltas },
}: {
  readonly item: ItemChange
}): JSX.Element {
  const changed = Object.entries(scoreDeltas).filter(([, delta]) => Math.abs(delta) > 1e-9)
  return (
    <>
      {changed.map(([key]) => (
        <div key={key}>
          <span class="quiet">{key}</span> {threeDigits(baselineScores[key])} → {threeDigits(candidateScores[key])}
        </div>
      ))}
    </>
  )
}
