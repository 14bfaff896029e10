import { counted, csvCell, type ScoreMean } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useContext, useLayoutEffect, useRef } from 'preact/hooks'
import type { ItemRow, ItemsDocument } from '../../src/answers/items.js'
import { type Source, SourceContext, saveAs } from '../documents.js'
import { listQuery } from '../filters.js'
import { movedBy } from '../keys.js'
import { outcomeWord } from '../marks.js'
import { type PagedRows, usePagedRows } from '../paged-rows.js'
import { useKept, useKeptScroll } from '../places.js'
import { namesIn } from '../router.js'
import { SpaceRow } from '../table.js'
import { useVirtualRows } from '../virtual-rows.js'
import { chosenColumns, fitted, itemColumns, needsTexts, rowLink, type TableShape, widthOf } from './item-columns.js'
import { ItemTools } from './item-tools.js'
import { ItemRowLine, ItemsHeading, tableWidths } from './items-row.js'

interface ItemsTableProps {
  readonly runs: readonly string[]
  /** Changes whenever a run does. */
  readonly revision: string
  /** The number of trials in the run, which gives the height of the table before it is loaded. */
  readonly trials: number
  readonly means?: readonly ScoreMean[]
  readonly isRepeated: boolean
  readonly query: URLSearchParams
}

/** The items of runs, to search, filter and sort. Only visible rows are fetched and drawn. */
export function ItemsTable({ runs, revision, trials, means = [], isRepeated, query }: ItemsTableProps): JSX.Element {
  const isSeveral = runs.length > 1
  const byItem = isSeveral || (isRepeated && query.get('by') !== 'trial')
  const search = listQuery(query)
  if (byItem) search.set('by', 'item')
  if (needsTexts(query)) search.set('texts', 'yes')
  const [first = ''] = runs
  const path = isSeveral ? ['grid', ...runs] : ['runs', first, 'items']
  const pages = usePagedRows<ItemsDocument>(path, search.toString(), revision)
  const source = useContext(SourceContext)
  const head = useLast(pages.head)
  const firstRows = Array.from({ length: 50 }, (_, index) => pages.row(index) ?? []).flat()
  const all = fitted(itemColumns(head?.scoreKeys ?? [], means), firstRows)
  const { areRows = false, constant = [] } = head ?? {}
  const columns = chosenColumns(all, query, { isGrid: isSeveral, areRows, constant })
  const name = Math.min(areRows ? 8 : 15, Math.max(6, widthOf(firstRows, ({ itemId }) => itemId) + 1))
  const marked = head?.columns.flatMap(({ run }) => (isMarked(query, run) ? [run] : [])) ?? []
  const pair = isSeveral && marked.length === 2 ? marked : undefined
  const shape: TableShape = { byItem, isSeveral, areRows, name, constant, pair, grid: head?.columns ?? [], columns }
  const save = async () =>
    saveAs(`${first}.csv`, new Blob([await itemsCsv(source, path, pages.query, shape)], { type: 'text/csv' }))
  return (
    <section class="part fills" aria-label="Items">
      <ItemTools query={query} shape={shape} all={all} facets={head?.facets} isRepeated={isRepeated} save={save} />
      {pages.problem === undefined ? null : <p role="alert">{pages.problem}</p>}
      {head === undefined ? (
        <p class="quiet waiting">Loading…</p>
      ) : (
        <Grid pages={pages} shape={shape} query={query} total={pages.head?.total ?? Math.min(trials, 20)} />
      )}
      <p class="hidden" role="status">
        {head === undefined ? '' : counted(head.total, byItem ? 'item' : 'trial')}
      </p>
    </section>
  )
}

/** Whether the reader chose only items that the run passes, or that it fails. */
function isMarked(query: URLSearchParams, run: string): boolean {
  return ['passes', 'fails'].some((parameter) => namesIn(query, parameter).includes(run))
}

/** Keeps the last value until the next one is there, so that nothing moves meanwhile. */
function useLast<Value>(value: Value | undefined): Value | undefined {
  const last = useRef(value)
  if (value !== undefined) last.current = value
  return value ?? last.current
}

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 32
const heightOf = () => rowHeight

interface GridProps {
  readonly pages: PagedRows<ItemsDocument>
  readonly shape: TableShape
  readonly query: URLSearchParams
  readonly total: number
}

function Grid({ pages, shape, query, total }: GridProps): JSX.Element {
  const [box, list] = [useRef<HTMLDivElement>(null), useRef<HTMLTableSectionElement>(null)]
  const scrolled = useKeptScroll(box, 'items')
  const rows = useVirtualRows({ list, box, count: total, scrolled, heightOf })
  const { from, to } = rows
  const cells = shape.grid.length
  // The cursor: the row, or -1 for none, and the cell, or -1 for the whole row.
  const [cursor, setCursor] = useKept('cursor', -1)
  const [cell, setCell] = useKept('cell', -1)
  const shown = useRef(pages.query)
  // A new query starts at its first row. A layout effect, since a later one could undo a key that was pressed meanwhile.
  useLayoutEffect(() => {
    if (shown.current === pages.query) return
    shown.current = pages.query
    box.current?.scrollTo(0, 0)
    setCursor(-1)
    setCell(-1)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const row = pages.row(cursor)
    if (event.key === 'Enter' && row !== undefined) {
      const { run = shape.pair?.[0] ?? row.run } = pages.head?.columns[cell] ?? {}
      const { repetition = row.repetition } = row.cells[cell] ?? {}
      location.hash = rowLink(shape, { run, itemId: row.itemId, repetition })
    }
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const next = movedBy(event.key, cursor, total, { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 })
    if (next === undefined && (step === 0 || cells === 0)) return
    event.preventDefault()
    if (next === undefined) return setCell(Math.min(cells - 1, Math.max(-1, cell + step)))
    setCursor(next)
    rows.reveal(next)
  }
  if (to > from) pages.show(from, to - 1)
  const { all, narrow } = tableWidths(shape)
  const width = 2 + cells + shape.columns.length
  return (
    <div class="scroller card rows" ref={box}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table with a cursor is a grid
        role="grid"
        aria-label="Items; move with the arrow keys, open with Enter"
        aria-rowcount={total + 1}
        aria-activedescendant={cursor >= from && cursor < to ? `row-${cursor}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ '--name': `${shape.name}rem`, '--least': `${all}rem`, '--least-narrow': `${narrow}rem` }}
      >
        <ItemsHeading shape={shape} query={query} />
        <tbody ref={list}>
          <SpaceRow height={rows.beforePx} columns={width} />
          {Array.from({ length: Math.max(0, to - from) }, (_, offset) => (
            <ItemRowLine
              // A loaded row replaces its placeholder instead of changing it, so that nothing in it moves.
              key={`${pages.row(from + offset) === undefined ? 'waiting' : 'row'} ${from + offset}`}
              index={from + offset}
              row={pages.row(from + offset)}
              shape={shape}
              cursor={cursor === from + offset ? cell : undefined}
              onOpen={() => setCursor(from + offset)}
            />
          ))}
          <SpaceRow height={rows.afterPx} columns={width} />
        </tbody>
      </table>
      {total === 0 ? <p class="empty">No trial matches.</p> : null}
    </div>
  )
}

const pageSize = 500

/** All rows that match a query, with the columns of the table, as CSV. Numbers are without units, texts are whole. */
async function itemsCsv(source: Source, path: readonly string[], query: string, shape: TableShape): Promise<string> {
  const cells = cellsOf(shape)
  const rows: ItemRow[] = []
  for (let total = 1; rows.length < total; ) {
    const search = new URLSearchParams(query)
    for (const [name, value] of Object.entries({ offset: rows.length, limit: pageSize, texts: 'whole' }))
      search.set(name, String(value))
    const page = (await source(path, search)) as ItemsDocument | undefined
    if (page === undefined || page.rows.length === 0) break
    total = page.total
    rows.push(...page.rows)
  }
  const lines = [cells.map(([title]) => title), ...rows.map((row) => cells.map(([, of]) => of(row)))]
  return lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('')
}

type CsvColumn = readonly [title: string, of: (row: ItemRow) => string | number | null]

function cellsOf({ byItem, grid, columns }: TableShape): readonly CsvColumn[] {
  const attempts = grid.map(({ name }, at): CsvColumn => [name, ({ cells }) => cellText(cells[at] ?? null)])
  const passed: readonly CsvColumn[] = byItem
    ? [
        ['Passed', ({ passes }) => passes],
        ['Decided', ({ decided }) => decided],
      ]
    : [
        ['Repetition', ({ repetition }) => repetition],
        ['Outcome', ({ outcome }) => outcomeWord(outcome)],
      ]
  return [
    ['Item', ({ itemId }) => itemId],
    ...attempts,
    ...passed,
    ...columns.map(({ name, cell, value = cell }): CsvColumn => [name, value]),
  ]
}

/** Not `1/2`, which a spreadsheet would read as a date. */
function cellText(cell: ItemRow['cells'][number]): string {
  if (cell === null) return ''
  const { outcome, passes, decided, trials } = cell
  return trials === 1 ? outcomeWord(outcome) : `${passes} of ${decided}`
}
