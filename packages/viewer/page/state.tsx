import type { ComponentChildren, JSX } from 'preact'
import type { Loading } from './source.js'

/** What is shown of a document: the view once it is there, else what is the matter. */
export function State<Document>({
  of,
  children,
  missing = 'There is nothing here.',
}: {
  readonly of: Loading<Document>
  readonly children: (document: Document) => ComponentChildren
  readonly missing?: string | JSX.Element
}): JSX.Element {
  switch (of.state) {
    case 'loading':
      return (
        <p class="quiet waiting" role="status" key="waiting">
          Loading…
        </p>
      )
    case 'missing':
      return typeof missing === 'string' ? (
        <p class="empty" key="missing">
          {missing}
        </p>
      ) : (
        missing
      )
    case 'failed':
      return (
        <p class="empty" role="alert" key="failed">
          {of.message}
        </p>
      )
    case 'there':
      return <>{children(of.document)}</>
    default:
      return of satisfies never
  }
}
