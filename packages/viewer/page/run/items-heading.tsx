import type { JSX } from 'preact'
import { SortHeading } from '../sort-heading.js'

/** The headings of the table of items. */
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

/** The path of a judge: its tier or jury small above its name. */
function ScoreKey({ path }: { readonly path: string }): JSX.Element {
  const at = path.lastIndexOf('/')
  return (
    <span class="key" title={path}>
      {at < 0 ? null : <span class="tier">{path.slice(0, at + 1)}</span>}
      {path.slice(at + 1)}
    </span>
  )
}
