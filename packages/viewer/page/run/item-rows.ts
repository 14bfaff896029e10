import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { ItemRow, ItemsDocument } from '../../src/answers/items.js'
import { SourceContext } from '../source.js'

const pageSize = 100

/** Rows of the table, as far as they were wanted. */
export interface ItemRows {
  /** `undefined` until the first answer. */
  readonly head: Omit<ItemsDocument, 'rows' | 'offset'> | undefined
  /** `undefined` while the row is on its way. */
  readonly at: (index: number) => ItemRow | undefined
  /** Says which rows are looked at. */
  readonly want: (from: number, to: number) => void
  readonly problem: string | undefined
}

/**
 * The rows that fit a query, asked for in pages when they are looked at. When the run has gone on (`revision`), they are
 * asked for again, and the old ones stay until the new ones come.
 */
export function useItemRows(run: string, query: string, revision: string): ItemRows {
  const source = useContext(SourceContext)
  const pages = useRef(new Map<number, readonly ItemRow[]>())
  const asked = useRef(new Set<string>())
  const looked = useRef({ from: 0, to: pageSize - 1 })
  const [head, setHead] = useState<ItemRows['head']>()
  const [problem, setProblem] = useState<string>()
  const [, redraw] = useState(0)

  const ask = useCallback(
    async (page: number, left: () => boolean) => {
      const search = new URLSearchParams(query)
      search.set('offset', String(page * pageSize))
      search.set('limit', String(pageSize))
      try {
        const answer = (await source(['runs', run, 'items'], search)) as ItemsDocument | undefined
        if (left() || answer === undefined) return
        const { rows, offset: _, ...rest } = answer
        pages.current.set(page, rows)
        setHead(rest)
        setProblem(undefined)
        redraw((times) => times + 1)
      } catch (thrown) {
        setProblem(thrown instanceof Error ? thrown.message : String(thrown))
      }
    },
    [source, run, query],
  )
  const generation = `${run} ${query} ${revision}`
  const present = useRef(generation)
  const askOnce = useCallback(
    (from: number, to: number) => {
      for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page++) {
        const key = `${generation} ${page}`
        if (asked.current.has(key)) continue
        asked.current.add(key)
        void ask(page, () => present.current !== generation)
      }
    },
    [generation, ask],
  )
  useEffect(() => {
    present.current = generation
    asked.current.clear()
    askOnce(looked.current.from, looked.current.to)
  }, [generation, askOnce])
  const seen = useRef(query)
  if (seen.current !== query) {
    // Another question: old rows would be wrong ones.
    seen.current = query
    pages.current.clear()
    looked.current = { from: 0, to: pageSize - 1 }
  }
  return {
    head,
    problem,
    at: (index) => pages.current.get(Math.floor(index / pageSize))?.[index % pageSize],
    want: useCallback(
      (from: number, to: number) => {
        looked.current = { from, to }
        askOnce(from, to)
      },
      [askOnce],
    ),
  }
}
