import type { JSX } from 'preact'
import type { ItemRow } from '../../src/answers/items.js'
import { dollars, duration, score } from '../amounts.js'
import { OutcomeMark } from '../outcome-mark.js'
import { linkTo } from '../place.js'
import { plainText } from '../plain-text.js'

/** One trial as a row of the table. */
export function ItemRowLine({
  place,
  row,
  run,
  columns,
  isAt,
}: {
  readonly place: number
  readonly row: ItemRow | undefined
  readonly run: string
  readonly columns: number
  readonly isAt: boolean
}): JSX.Element {
  if (row === undefined)
    return (
      <tr aria-rowindex={place + 2}>
        <td colSpan={columns} class="quiet">
          …
        </td>
      </tr>
    )
  return (
    <tr id={`row-${place}`} aria-rowindex={place + 2} class={isAt ? 'at' : ''} aria-selected={isAt}>
      <th scope="row" class="name-cell" title={row.itemId}>
        <a href={linkTo(['runs', run, 'items', row.itemId, row.repetition])}>{row.itemId}</a>{' '}
        <span class="quiet small">#{row.repetition}</span>
      </th>
      <td>
        <OutcomeMark outcome={row.outcome} />
      </td>
      <td class="quiet wide-only" title={plainText(row.reason)}>
        {plainText(row.reason)}
      </td>
      {row.scores.map((value, at) => (
        <td class="number wide-only" key={at}>
          {score(value)}
        </td>
      ))}
      <td class="number middle-only">{dollars(row.costUsd)}</td>
      <td class="number middle-only">{duration(row.durationMs)}</td>
    </tr>
  )
}
