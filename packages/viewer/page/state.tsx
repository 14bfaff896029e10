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
  readonly missing?: string
}): JSX.Element {
  switch (of.state) {
    case 'loading':
      return (
        <p class="quiet waiting" role="status">
          Loading…
        </p>
      )
    case 'missing':
      return <p class="empty">{missing}</p>
    case 'failed':
      return (
        <p class="empty" role="alert">
          {of.message}
        </p>
      )
    case 'there':
      return <>{children(of.document)}</>
    default:
      return of satisfies never
  }
}
