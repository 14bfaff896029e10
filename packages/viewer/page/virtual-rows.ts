import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

/** Returns the offset of each row, and of the end. */
export function offsetsOf(heights: Float64Array): Float64Array {
  const offsets = new Float64Array(heights.length + 1)
  for (let row = 0; row < heights.length; row++) offsets[row + 1] = (offsets[row] ?? 0) + (heights[row] ?? 0)
  return offsets
}

/** Finds the row at an offset, clamped to the existing rows. */
export function rowAt(offsets: Float64Array, offset: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** How far beyond both edges rows are drawn, in pixels, so that scrolling shows no gap. */
const marginPx = 500

interface RowRange {
  readonly from: number
  readonly to: number
  readonly first: number
  readonly last: number
}

/** Returns the rows for the visible part of a list. */
export function rowsIn(offsets: Float64Array, top: number, height: number): RowRange {
  return {
    from: rowAt(offsets, top - marginPx),
    to: Math.min(offsets.length - 1, rowAt(offsets, top + height + marginPx) + 1),
    first: rowAt(offsets, top),
    last: rowAt(offsets, top + height),
  }
}

interface Options {
  /** Contains the rows and nothing else. */
  readonly list: RefObject<HTMLElement>
  /** Scrolls the list if it does not fit. Default: the window does. */
  readonly box?: RefObject<HTMLElement>
  /** The element that sticks to the top and covers rows there. Default: the heading of the table in the box. */
  readonly cover?: RefObject<HTMLElement>
  readonly count: number
  /** The initial scroll position: drawing other rows first would lose the focus. Default 0. */
  readonly scrolled?: number
  /**
   * The height of a row in pixels; an estimate if rows are measured. Lists may have hundreds of thousands of rows, so
   * heights are computed again only when this function or `keyOf` is another one.
   */
  readonly heightOf: (row: number) => number
  /**
   * Identifies a row whose element has this key as `data-row`. Such a row is measured once it is drawn. Default: no row
   * is.
   */
  readonly keyOf?: (row: number) => string
}

interface VirtualRows extends RowRange {
  readonly beforePx: number
  readonly afterPx: number
  /** Scrolls the window until a row is at its top, below what sticks there. */
  readonly show: (row: number) => void
  /** Scrolls the box or the window just enough to make a row visible. */
  readonly reveal: (row: number) => void
}

const inputs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Draws only the visible rows of a list, whether a box around it or the window scrolls. */
export function useVirtualRows(options: Options): VirtualRows {
  const { list, box, count, scrolled = 0, heightOf, keyOf } = options
  const [measured] = useState(() => new Map<string, number>())
  const [, setRounds] = useState(0)
  const redraw = () => setRounds((rounds) => rounds + 1)
  const seen = useRef({ top: scrolled, height: 900 })
  const target = useRef<number>()
  const heights = useMemo(() => {
    const heightNow = (row: number) =>
      (keyOf && measured.size > 0 ? measured.get(keyOf(row)) : undefined) ?? heightOf(row)
    return Float64Array.from({ length: count }, (_, row) => heightNow(row))
  }, [count, heightOf, keyOf])
  const known = useRef<{ readonly heights: Float64Array; offsets: Float64Array }>()
  if (known.current?.heights !== heights) known.current = { heights, offsets: offsetsOf(heights) }
  const { offsets } = known.current
  const rows = rowsIn(offsets, seen.current.top, seen.current.height)
  const look = useRef<() => void>(() => undefined)
  look.current = () => {
    seen.current = partInSight(options)
    const now = rowsIn(offsets, seen.current.top, seen.current.height)
    const isSame = (['from', 'to', 'first', 'last'] as const).every((name) => now[name] === rows[name])
    if (!isSame || target.current !== undefined) redraw()
  }
  useEffect(() => {
    const read = () => look.current()
    const end = () => {
      target.current = undefined
    }
    const observer = new ResizeObserver(read)
    for (const element of [list.current, box?.current]) if (element) observer.observe(element)
    const passive = { capture: true, passive: true }
    for (const type of ['scroll', 'resize']) addEventListener(type, read, passive)
    for (const type of inputs) addEventListener(type, end, passive)
    read()
    return () => {
      observer.disconnect()
      for (const type of ['scroll', 'resize']) removeEventListener(type, read, passive)
      for (const type of inputs) removeEventListener(type, end, passive)
    }
  }, [])
  useLayoutEffect(() => {
    const hasChanged = measureRows(list.current, measured, heights, rows.from)
    const now = hasChanged ? offsetsOf(heights) : offsets
    known.current = { heights, offsets: now }
    if (target.current !== undefined) {
      // Rows above the target are measured on the way, so the target is reached when nothing moves any more.
      const before = scrollY
      scrollBy(0, (now[target.current] ?? 0) - partInSight(options).top)
      if (Math.abs(scrollY - before) < 1) target.current = undefined
    } else if (hasChanged && seen.current.top > 0) {
      // The row that the reader looks at stays in place when rows above turn out to be higher.
      const anchor = rowAt(offsets, seen.current.top)
      scrollBy(0, (now[anchor] ?? 0) - (offsets[anchor] ?? 0))
    }
    if (hasChanged) redraw()
  })
  return {
    ...rows,
    beforePx: offsets[rows.from] ?? 0,
    afterPx: (offsets.at(-1) ?? 0) - (offsets[rows.to] ?? 0),
    show(row) {
      target.current = row
      redraw()
    },
    reveal(row) {
      const { top, height } = partInSight(options)
      const [start, end] = [offsets[row] ?? 0, offsets[row + 1] ?? 0]
      const element = box?.current
      const scroller = element && element.scrollHeight > element.clientHeight + 1 ? element : window
      scroller.scrollBy(0, start < top ? start - top : Math.max(0, end - top - height))
    },
  }
}

/** The visible part of a list, below what covers its top. */
function partInSight({ list, box, cover }: Options) {
  const { top, bottom } = box?.current?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight }
  const covering = cover?.current ?? box?.current?.querySelector('thead')
  const from = Math.max(0, top) + (covering?.offsetHeight ?? 0)
  const start = list.current?.getBoundingClientRect().top ?? 0
  return { top: Math.round(from - start), height: Math.max(0, Math.round(Math.min(innerHeight, bottom) - from)) }
}

/** Measures the drawn rows, of which the first is the row `from`. Returns whether any height is new. */
function measureRows(
  list: HTMLElement | null,
  measured: Map<string, number>,
  heights: Float64Array,
  from: number,
): boolean {
  let hasChanged = false
  for (const [at, row] of [...(list?.querySelectorAll<HTMLElement>(':scope > [data-row]') ?? [])].entries()) {
    const key = row.dataset['row'] ?? ''
    const { height } = row.getBoundingClientRect()
    if (Math.abs((measured.get(key) ?? -1) - height) < 0.5) continue
    measured.set(key, height)
    heights[from + at] = height
    hasChanged = true
  }
  return hasChanged
}
