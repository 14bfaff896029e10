import { grouped, outcomes } from '@jurist/experiment/internal/results'
import type { JSX, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { RunDocument } from '../../src/answers/run.js'
import { FilterButtons, SearchField } from '../filters.js'
import { OutcomeMark } from '../marks.js'
import { Part } from '../parts.js'
import { useKept, useKeptScroll } from '../places.js'
import { linkTo, trialPath } from '../router.js'
import { type ItemPages, useItemPages } from './item-pages.js'
import { ItemRowLine, ItemsHeading } from './items-row.js'
import { movedCursor, rowHeight, scrollToRow, useRowWindow } from './row-window.js'

interface ItemsTableProps {
  readonly document: RunDocument
  readonly query: URLSearchParams
}

/** The parameters of the address that are sent to the server. */
const sent: readonly string[] = ['q', 'outcome', 'bucket', 'sort', 'order']

/** All trials of a run, to search, filter and sort. Only visible rows are fetched and drawn. */
export function ItemsTable({ document, query }: ItemsTableProps): JSX.Element {
  const { run, revision } = document
  const search = new URLSearchParams([...query].filter(([name]) => sent.includes(name)))
  const pages = useItemPages(run.id, search.toString(), revision)
  return (
    <Part title="Items">
      <div class="tools">
        <SearchField label="Search names, reasons and output" words={query.get('q') ?? ''} />
        <OutcomeFilter counts={pages.head?.outcomes} chosen={query.get('outcome')} />
      </div>
      {pages.problem === undefined ? null : <p role="alert">{pages.problem}</p>}
      <p class="hidden" role="status">
        {pages.head === undefined ? '' : `${grouped(pages.head.total)} trials`}
      </p>
      <Grid document={document} query={query} pages={pages} />
    </Part>
  )
}

/** How many trials have each outcome. Choosing an outcome filters the table. */
function OutcomeFilter({
  counts,
  chosen,
}: {
  readonly counts: NonNullable<ItemPages['head']>['outcomes'] | undefined
  readonly chosen: string | null
}): JSX.Element {
  return (
    <FilterButtons
      legend="Only trials that"
      parameter="outcome"
      chosen={chosen}
      values={outcomes.filter((outcome) => outcome === chosen || (counts?.[outcome] ?? 0) > 0)}
    >
      {(outcome) => (
        <>
          <OutcomeMark outcome={outcome} /> {grouped(counts?.[outcome])}
        </>
      )}
    </FilterButtons>
  )
}

function Grid({ document, query, pages }: ItemsTableProps & { readonly pages: ItemPages }): JSX.Element {
  const { run, scoreKeys } = document
  const box = useRef<HTMLDivElement>(null)
  const total = pages.head?.total ?? Math.min(run.counts.run, 20)
  const { from, to } = useRowWindow(box, total)
  const { cursor, setCursor, onKeyDown } = useCursor(box, pages, run.id, total)
  if (to > from) pages.show(from, to - 1)
  const columns = 5 + scoreKeys.length
  return (
    <div class="scroller rows" ref={box}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table with a cursor is a grid
        role="grid"
        aria-label="Items; move with the arrow keys, open with Enter"
        aria-rowcount={total + 1}
        aria-activedescendant={cursor >= from && cursor < to ? `row-${cursor}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ '--scores': scoreKeys.length }}
      >
        <ItemsHeading scoreKeys={scoreKeys} query={query} />
        <tbody>
          <Spacer rows={from} columns={columns} />
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => (
            <ItemRowLine
              // A loaded row replaces its placeholder instead of changing it, so that nothing in it moves.
              key={`${pages.row(from + offset) === undefined ? 'waiting' : 'row'} ${from + offset}`}
              index={from + offset}
              row={pages.row(from + offset)}
              run={run.id}
              columns={columns}
              isCurrent={cursor === from + offset}
              onOpen={() => setCursor(from + offset)}
            />
          ))}
          <Spacer rows={total - to} columns={columns} />
        </tbody>
      </table>
      {total === 0 ? <p class="empty">No trial matches.</p> : null}
    </div>
  )
}

/** The row that the arrow keys have moved to, -1 for none. A new query starts at its first row. */
function useCursor(box: RefObject<HTMLElement>, pages: ItemPages, run: string, total: number) {
  const [cursor, setCursor] = useKept('cursor', -1)
  useKeptScroll(box, 'items')
  const shown = useRef(pages.query)
  useEffect(() => {
    if (shown.current === pages.query) return
    shown.current = pages.query
    box.current?.scrollTo(0, 0)
    setCursor(-1)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const row = pages.row(cursor)
    if (event.key === 'Enter' && row !== undefined) location.hash = linkTo(trialPath({ run, ...row }))
    const next = movedCursor(event.key, cursor, total)
    if (next === undefined) return
    event.preventDefault()
    setCursor(next)
    if (box.current !== null) scrollToRow(box.current, next)
  }
  return { cursor, setCursor, onKeyDown }
}

/** The space of rows that are not drawn. */
function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }): JSX.Element | null {
  if (rows <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  )
}
