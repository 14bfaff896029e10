import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { changeQuery } from './router.js'

export interface Column<Row> {
  readonly title: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
  /** The class of the heading and the cells, such as `number` or `wide-only`. */
  readonly class?: string | undefined
  readonly isRowHeading?: boolean
  /** The name of the column in the `sort` parameter. Default: the column cannot be sorted. */
  readonly sort?: string | undefined
  /** The order after the first click. Default `asc`. */
  readonly first?: 'asc' | 'desc' | undefined
  readonly width?: string
  readonly background?: (row: Row) => string
}

export function numberColumn<Row>(
  title: ComponentChildren,
  cell: (row: Row) => ComponentChildren,
  more: Omit<Column<Row>, 'title' | 'cell'> = {},
): Column<Row> {
  return { title, cell, ...more, class: more.class === undefined ? 'number' : `number ${more.class}` }
}

export function nameColumn<Row>(title: string, cell: (row: Row) => ComponentChildren): Column<Row> {
  return { title, cell, isRowHeading: true, class: 'name-cell' }
}

export interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly caption?: string
  /** `roomy` for the main table of a view, `grid` for a matrix. */
  readonly look?: 'roomy' | 'compact' | 'grid'
  /** Whether a long table scrolls in its own box. */
  readonly isLow?: boolean
  /** The query with `sort` and `order`. Required if a column can be sorted. */
  readonly query?: URLSearchParams
}

const looks = { roomy: '', compact: 'compact', grid: 'compact grid-table' }

export function Table<Row>(props: TableProps<Row>): JSX.Element {
  const { label, columns, rows, keyOf, caption, look = 'compact', isLow = false, query } = props
  return (
    <Scroller label={label} isLow={isLow}>
      <table class={looks[look]}>
        {caption === undefined ? null : <caption class="quiet small">{caption}</caption>}
        <thead>
          <tr>
            {columns.map((column, index) => (
              <Heading column={column} query={query} key={index} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <Cell column={column} row={row} key={index} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  )
}

export function Heading<Row>(props: {
  readonly column: Column<Row>
  readonly query: URLSearchParams | undefined
}): JSX.Element {
  const { title, sort, first, class: className, width, isRowHeading = false } = props.column
  const { query } = props
  const shown = isRowHeading ? undefined : className
  if (sort !== undefined && query !== undefined)
    return (
      <SortHeading column={sort} query={query} class={shown} first={first}>
        {title}
      </SortHeading>
    )
  return (
    <th scope="col" class={shown} style={width === undefined ? undefined : { width }}>
      {title}
    </th>
  )
}

export function Cell<Row>(props: { readonly column: Column<Row>; readonly row: Row }): JSX.Element {
  const { cell, class: className, isRowHeading = false, background, width } = props.column
  const { row } = props
  if (isRowHeading)
    return (
      <th scope="row" class={className} style={width === undefined ? undefined : { width }}>
        {cell(row)}
      </th>
    )
  return (
    <td class={className} style={background === undefined ? undefined : { background: background(row) }}>
      {cell(row)}
    </td>
  )
}

/**
 * The heading of a column that can be sorted: the first click sorts in the first order, the second in the other, the
 * third not at all.
 */
export function SortHeading(props: {
  readonly column: string
  readonly query: URLSearchParams
  readonly children: ComponentChildren
  readonly class?: string | undefined
  /** The order after the first click. */
  readonly first?: 'asc' | 'desc' | undefined
  /** Follows the button that sorts. */
  readonly after?: ComponentChildren
}): JSX.Element {
  const { column, query, children, class: className, first = 'asc', after } = props
  const order = query.get('sort') === column ? (query.get('order') === 'desc' ? 'desc' : 'asc') : undefined
  const next = order === undefined ? first : order !== first ? undefined : first === 'asc' ? 'desc' : 'asc'
  const sort = () =>
    changeQuery({ sort: next === undefined ? undefined : column, order: next === 'desc' ? 'desc' : undefined })
  return (
    <th
      scope="col"
      class={className}
      aria-sort={order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending'}
    >
      <button type="button" onClick={sort}>
        {children}
        <span aria-hidden="true">{order === undefined ? '' : order === 'asc' ? ' ↑' : ' ↓'}</span>
      </button>
      {after}
    </th>
  )
}

/** A box that scrolls content that does not fit. It can get the focus only then, so that keys can scroll it. */
export function Scroller(props: {
  readonly label: string
  readonly isLow?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  const { label, isLow = false, children } = props
  const box = useRef<HTMLElement>(null)
  const [scrolls, setScrolls] = useState(false)
  // A layout effect, since keys could not scroll a box that cannot get the focus before the first paint.
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const measure = () =>
      setScrolls(current.scrollWidth > current.clientWidth || current.scrollHeight > current.clientHeight)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    for (const child of current.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <section
      class={isLow ? 'scroller card low' : 'scroller card'}
      aria-label={label}
      ref={box}
      tabIndex={scrolls ? 0 : undefined}
    >
      {children}
    </section>
  )
}

/** Replaces the rows of a table that are not drawn. */
export function SpaceRow(props: { readonly height: number; readonly columns: number }): JSX.Element | null {
  const { height, columns } = props
  if (height <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  )
}
