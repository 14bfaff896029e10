import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { type Source, SourceContext } from './documents.js'

/** A document with some rows of a list, from `offset` on. */
interface Page<Row> {
  readonly offset: number
  readonly total: number
  readonly rows: readonly Row[]
}

const pageSize = 100
/** How many rows are fetched before they become visible, so that scrolling meets no empty rows. */
const ahead = 50

export interface PagedRows<Document extends Page<unknown>> {
  /** The query that the rows match. */
  readonly query: string
  /** `undefined` until the first page is loaded. */
  readonly head: Omit<Document, 'rows' | 'offset'> | undefined
  /** `undefined` while the row is loading. */
  readonly row: (index: number) => Document['rows'][number] | undefined
  /** Fetches the rows from `from` to `to`, both inclusive, unless they are fetched already. */
  readonly show: (from: number, to: number) => void
  readonly problem: string | undefined
}

/**
 * Fetches the rows of a document that match a query. When its runs change (`revision`), the visible rows are fetched
 * again; the old ones stay until then.
 */
export function usePagedRows<Document extends Page<unknown>>(
  path: readonly string[],
  query: string,
  revision: string,
): PagedRows<Document> {
  const source = useContext(SourceContext)
  const [, redraw] = useState(0)
  const pages = useRef<PageCache<Document>>()
  const before = useRef<PagedRows<Document>>()
  const place = path.join('\n')
  if (pages.current?.place !== place || pages.current.query !== query) {
    pages.current?.close()
    if (pages.current?.head !== undefined) before.current = pages.current.place === place ? pages.current : undefined
    pages.current = pageCache<Document>({ source, path, query }, () => redraw((times) => times + 1))
  }
  const { current } = pages
  useEffect(() => current.refresh(revision), [current, revision])
  // The old rows stay until the new ones are there.
  if (current.head !== undefined || before.current === undefined) return current
  const { head, row } = before.current
  return { ...current, problem: current.problem, head, row }
}

interface PageCache<Document extends Page<unknown>> extends PagedRows<Document> {
  /** The path as one string. */
  readonly place: string
  /** Fetches the visible rows again if the revision is new. */
  readonly refresh: (revision: string) => void
  /** Ignores answers from now on. */
  readonly close: () => void
}

interface Request {
  readonly source: Source
  readonly path: readonly string[]
  readonly query: string
}

function pageCache<Document extends Page<unknown>>(request: Request, onChange: () => void): PageCache<Document> {
  const pages = new Map<number, Document['rows']>()
  const requested = new Set<number>()
  let visible = { from: 0, to: 0 }
  let known: string | undefined
  let isClosed = false
  let head: PagedRows<Document>['head']
  let problem: string | undefined
  const load = async (page: number) => {
    const answer = await fetchedPage<Document>(request, page)
    if (isClosed) return
    if (typeof answer === 'string') problem = answer
    else {
      const { rows, offset: _, ...rest } = answer
      pages.set(page, rows)
      head = rest
    }
    onChange()
  }
  const show = (from: number, to: number) => {
    visible = { from, to }
    const [first, last] = [Math.max(0, from - ahead), head === undefined ? to : Math.min(head.total - 1, to + ahead)]
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (requested.has(page)) continue
      requested.add(page)
      void load(page)
    }
  }
  return {
    place: request.path.join('\n'),
    query: request.query,
    get head() {
      return head
    },
    get problem() {
      return problem
    },
    row: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    show,
    refresh(revision) {
      if (known !== undefined && known !== revision) requested.clear()
      known = revision
      show(visible.from, visible.to)
    },
    close() {
      isClosed = true
    },
  }
}

/** Returns a page, or the reason why it cannot be shown. */
async function fetchedPage<Document>({ source, path, query }: Request, page: number): Promise<Document | string> {
  const search = new URLSearchParams(query)
  search.set('offset', String(page * pageSize))
  search.set('limit', String(pageSize))
  try {
    return ((await source(path, search)) as Document | undefined) ?? 'This store does not have all of these runs.'
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}
