import type { ComponentChildren, JSX } from 'preact'
import { changeQuery } from './place.js'

/** The heading of a column that the table can be sorted by: once upwards, then downwards, then not at all. */
export function SortHeading({
  column,
  query,
  children,
  class: className,
}: {
  readonly column: string
  readonly query: URLSearchParams
  readonly children: ComponentChildren
  readonly class?: string
}): JSX.Element {
  const order = query.get('sort') === column ? (query.get('order') === 'desc' ? 'desc' : 'asc') : undefined
  const next = order === undefined ? 'asc' : order === 'asc' ? 'desc' : undefined
  const ask = () =>
    changeQuery({ sort: next === undefined ? undefined : column, order: next === 'desc' ? 'desc' : undefined })
  return (
    <th
      scope="col"
      class={className}
      aria-sort={order === undefined ? undefined : order === 'asc' ? 'ascending' : 'descending'}
    >
      <button type="button" onClick={ask}>
        {children}
        <span aria-hidden="true">{order === undefined ? '' : order === 'asc' ? ' ↑' : ' ↓'}</span>
      </button>
    </th>
  )
}
