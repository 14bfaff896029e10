import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunDocument } from '../../src/answers/run.js'
import { count } from '../amounts.js'
import { linkTo } from '../place.js'
import { SearchField } from '../search-field.js'
import { ItemRowLine } from './item-row-line.js'
import { type ItemRows, useItemRows } from './item-rows.js'
import { ItemsHeading } from './items-heading.js'
import { OutcomeChoice } from './outcome-choice.js'
import { keptVisible, moved } from './row-cursor.js'
import { rowHeight, useVisibleRows } from './visible-rows.js'

interface Given {
  readonly document: RunDocument
  readonly query: URLSearchParams
}

/** What of the address the server is asked with. */
const asked: readonly string[] = ['q', 'outcome', 'bucket', 'sort', 'order']

/** All trials of a run: to search, filter and sort, and drawn only where they are looked at. */
export function ItemsTable({ document, query }: Given): JSX.Element {
  const { run, revision } = document
  const search = new URLSearchParams([...query].filter(([name]) => asked.includes(name)))
  const rows = useItemRows(run.id, search.toString(), revision)
  return (
    <section class="part">
      <h2>Items</h2>
      <div class="tools">
        <SearchField label="Search names, reasons and output" words={query.get('q') ?? ''} />
        <OutcomeChoice counts={rows.head?.outcomes} query={query} />
      </div>
      {rows.problem === undefined ? null : <p role="alert">{rows.problem}</p>}
      <p class="hidden" role="status">
        {rows.head === undefined ? '' : `${count(rows.head.total)} trials`}
      </p>
      <Table document={document} query={query} rows={rows} />
    </section>
  )
}

function Table({ document, query, rows }: Given & { readonly rows: ItemRows }): JSX.Element {
  const { run, scoreKeys } = document
  const box = useRef<HTMLDivElement>(null)
  const total = rows.head?.total ?? Math.min(run.counts.run, 20)
  const { from, to } = useVisibleRows(box, total)
  const [cursor, setCursor] = useState(-1)
  const { question } = rows
  useEffect(() => {
    // Other rows begin at their top.
    if (question !== undefined) box.current?.scrollTo(0, 0)
    setCursor(-1)
  }, [question])
  if (to > from) rows.want(from, to - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows.at(cursor)
    if (event.key === 'Enter' && row !== undefined)
      location.hash = linkTo(['runs', run.id, 'items', row.itemId, row.repetition])
    const next = moved(event.key, cursor, total)
    if (next === undefined) return
    event.preventDefault()
    setCursor(next)
    if (box.current !== null) keptVisible(box.current, next)
  }
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
          <Space rows={from} columns={columns} />
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => (
            <ItemRowLine
              // A row that comes is no row that changed: nothing in it moves.
              key={`${rows.at(from + offset) === undefined ? 'waiting' : 'row'} ${from + offset}`}
              place={from + offset}
              row={rows.at(from + offset)}
              run={run.id}
              columns={columns}
              isAt={cursor === from + offset}
            />
          ))}
          <Space rows={total - to} columns={columns} />
        </tbody>
      </table>
      {total === 0 ? <p class="empty">No trial fits.</p> : null}
    </div>
  )
}

/** Stands for rows that are not drawn. */
function Space({ rows, columns }: { readonly rows: number; readonly columns: number }): JSX.Element | null {
  if (rows <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * rowHeight}px` }} />
    </tr>
  )
}
