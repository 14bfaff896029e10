import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { ItemRow, ItemsDocument } from '../../src/answers/items.js'
import { type Source, SourceContext } from '../source.js'

const pageSize = 100

/** Rows of the table, as far as they were wanted. */
export interface ItemRows {
  /** The query whose answer the rows are. */
  readonly question: string
  /** `undefined` until the first answer. */
  readonly head: Omit<ItemsDocument, 'rows' | 'offset'> | undefined
  /** `undefined` while the row is on its way. */
  readonly at: (index: number) => ItemRow | undefined
  /** Says which rows are looked at, both inclusive. */
  readonly want: (from: number, to: number) => void
  readonly problem: string | undefined
}

/**
 * The rows that fit a query, asked for in pages when they are looked at. When the run has gone on (`revision`), they are
 * asked for again, and the old ones stay until the new ones come.
 */
export function useItemRows(run: string, query: string, revision: string): ItemRows {
  const source = useContext(SourceContext)
  const [, redraw] = useState(0)
  const book = useRef<Book>()
  if (book.current?.run !== run || book.current.question !== query) {
    book.current?.close()
    book.current = bookOf({ source, run, query }, () => redraw((times) => times + 1))
  }
  const { current } = book
  useEffect(() => current.renew(revision), [current, revision])
  return current
}

/** Pages of one question. */
interface Book extends ItemRows {
  readonly run: string
  /** The run has gone on: what is looked at is asked for again. */
  readonly renew: (revision: string) => void
  /** Nobody looks any more. */
  readonly close: () => void
}

interface Question {
  readonly source: Source
  readonly run: string
  readonly query: string
}

function bookOf(question: Question, onChange: () => void): Book {
  const pages = new Map<number, readonly ItemRow[]>()
  const asked = new Set<number>()
  let looked = { from: 0, to: 0 }
  let revision: string | undefined
  let closed = false
  let head: ItemRows['head']
  let problem: string | undefined
  const ask = async (page: number) => {
    const answer = await askedFor(question, page)
    if (closed) return
    if (typeof answer === 'string') problem = answer
    else if (answer !== undefined) {
      const { rows, offset: _, ...rest } = answer
      pages.set(page, rows)
      head = rest
    }
    onChange()
  }
  const want = (from: number, to: number) => {
    looked = { from, to }
    for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page++) {
      if (asked.has(page)) continue
      asked.add(page)
      void ask(page)
    }
  }
  return {
    run: question.run,
    question: question.query,
    get head() {
      return head
    },
    get problem() {
      return problem
    },
    at: (index) => pages.get(Math.floor(index / pageSize))?.[index % pageSize],
    want,
    renew(now) {
      if (revision !== undefined && revision !== now) asked.clear()
      revision = now
      want(looked.from, looked.to)
    },
    close() {
      closed = true
    },
  }
}

/** A page of rows, or what went wrong. */
async function askedFor({ source, run, query }: Question, page: number): Promise<ItemsDocument | string | undefined> {
  const search = new URLSearchParams(query)
  search.set('offset', String(page * pageSize))
  search.set('limit', String(pageSize))
  try {
    return (await source(['runs', run, 'items'], search)) as ItemsDocument | undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}
