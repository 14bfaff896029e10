import { changeKinds, changeWord, grouped, threeDigits, unknown } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { ComparedItem, ComparisonDocument } from '../../src/answers/comparison.js'
import { shade } from '../charts.js'
import { FilterButtons, SearchField } from '../filters.js'
import { Part } from '../parts.js'
import { linkTo, trialPath } from '../router.js'
import { type Column, nameColumn, Table } from '../table.js'
import { Attempts, type ComparedPair, pairLink, pairList } from './pair-links.js'

type Compared = Extract<ComparisonDocument, { readonly state: 'compared' }>

export function ChangedItems(props: { readonly document: Compared; readonly query: URLSearchParams }): JSX.Element {
  const { comparison, items, totalItems } = props.document
  const { query } = props
  const { baseline, candidate, changes } = comparison
  const isFiltered = query.has('change') || query.has('q')
  const all = changeKinds.reduce((sum, change) => sum + changes[change], 0)
  return (
    <Part title="Items">
      <div class="row tools">
        <SearchField label="Search items" words={query.get('q') ?? ''} />
        <FilterButtons
          legend="Only items that"
          parameter="change"
          chosen={query.get('change')}
          values={['all' as const, ...changeKinds.filter((change) => changes[change] > 0)]}
        >
          {(change) => (change === 'all' ? `all ${grouped(all)}` : `${changeWord(change)} ${grouped(changes[change])}`)}
        </FilterButtons>
        <a class="small" href={linkTo(['outputs', baseline.id, candidate.id])}>
          Outputs of both
        </a>
      </div>
      <p class="quiet small">
        An item regressed or improved when its pass rate did. Scores that moved and unchanged items are the same by pass
        rate.
      </p>
      {items.length === 0 ? (
        <p class="empty">{isFiltered ? 'No item matches.' : 'No item changed.'}</p>
      ) : (
        <Table
          label="Items"
          isLow
          columns={columnsFor({ baseline: baseline.id, candidate: candidate.id, list: pairList(query, 'q') })}
          rows={items}
          keyOf={({ itemId }) => itemId}
        />
      )}
      {items.length < totalItems ? (
        <p class="quiet small">
          The first {grouped(items.length)} of {grouped(totalItems)} items. Search for the others.
        </p>
      ) : null}
    </Part>
  )
}

function columnsFor(pair: ComparedPair): readonly Column<ComparedItem>[] {
  const { baseline, candidate } = pair
  const attempts = (run: string, role: 'baseline' | 'candidate') => (item: ComparedItem) => (
    <Attempts
      label={`Repetitions of the ${role} at ${item.itemId}`}
      attempts={item[role]}
      hrefOf={(repetition) => linkTo(trialPath({ run, itemId: item.itemId, repetition }))}
    />
  )
  return [
    nameColumn('Item', ({ itemId }) => <a href={pairLink(pair, itemId)}>{itemId}</a>),
    {
      title: 'Change',
      cell: ({ change }) => changeWord(change),
      background: ({ change }) =>
        change === 'regressed' ? shade('fail', 0.5) : change === 'improved' ? shade('pass', 0.5) : '',
    },
    { title: 'Baseline', cell: attempts(baseline, 'baseline') },
    { title: 'Candidate', cell: attempts(candidate, 'candidate') },
    { title: 'Scores that changed', class: 'wide-only small', cell: (item) => <ChangedScores item={item} /> },
    {
      title: 'Side by side',
      class: 'middle-only small',
      cell: ({ itemId }) => (
        <span class="pair-parts">
          <a href={pairLink(pair, itemId, 'changes')} aria-label={`Changes of ${itemId}`}>
            changes
          </a>
          <a href={pairLink(pair, itemId, 'journal')} aria-label={`Journals of ${itemId}`}>
            journals
          </a>
        </span>
      ),
    },
  ]
}

function ChangedScores(props: { readonly item: ComparedItem }): JSX.Element {
  const { baselineScores, candidateScores, scoreDeltas } = props.item
  const changed = Object.entries(scoreDeltas).filter(([, delta]) => Math.abs(delta) > 1e-9)
  if (changed.length === 0) return <span class="quiet">{unknown}</span>
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
