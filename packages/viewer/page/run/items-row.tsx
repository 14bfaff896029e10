import { dollars, duration, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ItemRow } from '../../src/answers/items.js'
import { OutcomeMark } from '../marks.js'
import { TrialLink } from '../navigation.js'
import { SortHeading } from '../table.js'
import { plainText } from '../text.js'

/** The headings of the items table. */
export function ItemsHeading({
  scoreKeys,
  query,
}: {
  readonly scoreKeys: readonly string[]
  readonly query: URLSearchParams
}): JSX.Element {
  return (
    <>
      <colgroup>
        <col style={{ width: '13rem' }} />
        <col style={{ width: '8.5rem' }} />
        <col class="wide-only" />
        {scoreKeys.map((key) => (
          <col key={key} style={{ width: '6.25rem' }} class="wide-only" />
        ))}
        <col style={{ width: '5.5rem' }} class="middle-only" />
        <col style={{ width: '6rem' }} class="middle-only" />
      </colgroup>
      <thead>
        <tr>
          <SortHeading column="item" query={query}>
            Item
          </SortHeading>
          <SortHeading column="outcome" query={query}>
            Outcome
          </SortHeading>
          <th scope="col" class="wide-only">
            Reason
          </th>
          {scoreKeys.map((key) => (
            <SortHeading column={`score:${key}`} query={query} class="number wide-only" key={key}>
              <ScoreKey path={key} />
            </SortHeading>
          ))}
          <SortHeading column="cost" query={query} class="number middle-only">
            Cost
          </SortHeading>
          <SortHeading column="time" query={query} class="number middle-only">
            Time
          </SortHeading>
        </tr>
      </thead>
    </>
  )
}

/** The path of a judge, with its tier or jury in small letters above its name. */
function ScoreKey({ path }: { readonly path: string }): JSX.Element {
  const at = path.lastIndexOf('/')
  return (
    <span class="key" title={path}>
      {at < 0 ? null : <span class="tier">{path.slice(0, at + 1)}</span>}
      {path.slice(at + 1)}
    </span>
  )
}

/** One trial as a row of the items table. */
export function ItemRowLine({
  index,
  row,
  run,
  columns,
  isCurrent,
  onOpen,
}: {
  readonly index: number
  readonly row: ItemRow | undefined
  readonly run: string
  readonly columns: number
  readonly isCurrent: boolean
  /** Called when a link of the row gets the focus. */
  readonly onOpen: () => void
}): JSX.Element {
  if (row === undefined)
    return (
      <tr aria-rowindex={index + 2}>
        <td colSpan={columns} class="quiet">
          …
        </td>
      </tr>
    )
  return (
    <tr
      id={`row-${index}`}
      onFocusIn={onOpen}
      aria-rowindex={index + 2}
      class={isCurrent ? 'at' : ''}
      aria-selected={isCurrent}
    >
      <th scope="row" class="name-cell" title={row.itemId}>
        <TrialLink trial={{ run, ...row }} />
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
