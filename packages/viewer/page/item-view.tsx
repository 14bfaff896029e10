import { flatten, verdictFromJson } from '@jurist/core'
import type { JSX } from 'preact'
import type { ItemDocument } from '../src/answers/item.js'
import { OutcomeMark } from './outcome-mark.js'
import { useDocument } from './source.js'
import { State } from './state.js'

/** One trial. */
export function ItemView(name: {
  readonly run: string
  readonly itemId: string
  readonly repetition: number
  readonly query: URLSearchParams
}): JSX.Element {
  const loading = useDocument<ItemDocument>(['runs', name.run, 'items', name.itemId, name.repetition])
  return <State of={loading}>{(document) => <Item document={document} />}</State>
}

function Item({ document: { item, outcome } }: { readonly document: ItemDocument }): JSX.Element {
  const rows = item.verdict === null ? [] : flatten(verdictFromJson(item.verdict))
  return (
    <>
      <h1>
        {item.itemId} #{item.repetition}
      </h1>
      <p>
        <OutcomeMark outcome={outcome} />
      </p>
      <p class="task">{item.task}</p>
      <ul>
        {rows.map(({ path, judgment }) => (
          <li key={path}>
            {path} {judgment.status}: {judgment.reasoning}
          </li>
        ))}
      </ul>
    </>
  )
}
