import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'

/** Where rows of different heights begin: the offset of each row, and of the end. */
export function offsetsOf(heights: readonly number[]): readonly number[] {
  const offsets = [0]
  for (const [index, height] of heights.entries()) offsets.push((offsets[index] ?? 0) + height)
  return offsets
}

/** The row at an offset, within the rows that there are. */
export function rowAt(offsets: readonly number[], offset: number): number {
  let [low, high] = [0, Math.max(0, offsets.length - 2)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((offsets[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** How far beyond both edges of the window rows are drawn, so that scrolling shows no gap. */
const marginPx = 500

/** The rows of a long list that are drawn, and the room of the others. */
export interface VirtualRows {
  /** The drawn rows: `from` inclusive, `to` exclusive. */
  readonly from: number
  readonly to: number
  readonly beforePx: number
  readonly afterPx: number
  /** The rows that the window shows, both inclusive. */
  readonly visible: { readonly first: number; readonly last: number }
  /** Scrolls the window until a row is at its top, below what sticks there. */
  readonly show: (row: number) => void
}

interface Options {
  readonly list: RefObject<HTMLElement>
  /** What sticks to the top of the window and covers rows there. */
  readonly cover: RefObject<HTMLElement>
  /** Identifies each row, so that its height is measured once. */
  readonly keys: readonly string[]
  /** A guess of the height of a row that has not been drawn yet, in pixels. */
  readonly guess: (row: number) => number
}

/** Draws only the rows of a list that the window shows. Rows may have any height: a drawn row is measured. */
export function useVirtualRows({ list, cover, keys, guess }: Options): VirtualRows {
  const [measured] = useState(() => new Map<string, number>())
  const [, redraw] = useState(0)
  const place = useWindowPlace(list, cover)
  const offsets = offsetsOf(keys.map((key, row) => measured.get(key) ?? guess(row)))
  const total = offsets.at(-1) ?? 0
  const from = keys.length === 0 ? 0 : rowAt(offsets, place.top - marginPx)
  const to = keys.length === 0 ? 0 : rowAt(offsets, place.top + place.height + marginPx) + 1
  const target = useRef<number>()
  const scrollToTarget = useTarget(target, list, cover)
  useLayoutEffect(() => {
    const anchor = rowAt(offsets, place.top)
    const hasChanged = measureRows(list.current, measured)
    const now = hasChanged ? offsetsOf(keys.map((key, row) => measured.get(key) ?? guess(row))) : offsets
    // What the reader looks at stays where it is when rows above turn out to be higher.
    const moved = (now[anchor] ?? 0) - (offsets[anchor] ?? 0)
    if (target.current !== undefined) scrollToTarget(now[target.current] ?? 0)
    else if (moved !== 0 && place.top > 0) scrollBy(0, moved)
    if (hasChanged) redraw((times) => times + 1)
  })
  const visible = { first: rowAt(offsets, place.top), last: rowAt(offsets, place.top + place.height) }
  const show = useMemo(
    () => (row: number) => {
      target.current = row
      redraw((times) => times + 1)
    },
    [],
  )
  return { from, to, beforePx: offsets[from] ?? 0, afterPx: total - (offsets[to] ?? total), visible, show }
}

/** Measures the drawn rows; whether any height is new. */
function measureRows(list: HTMLElement | null, measured: Map<string, number>): boolean {
  let hasChanged = false
  for (const row of list?.querySelectorAll<HTMLElement>(':scope > [data-row]') ?? []) {
    const key = row.dataset['row'] ?? ''
    const height = row.getBoundingClientRect().height
    if (Math.abs((measured.get(key) ?? -1) - height) < 0.5) continue
    measured.set(key, height)
    hasChanged = true
  }
  return hasChanged
}

/** The part of the list that the window shows, below what covers its top. */
function useWindowPlace(list: RefObject<HTMLElement>, cover: RefObject<HTMLElement>) {
  const [place, setPlace] = useState({ top: 0, height: 900 })
  useEffect(() => {
    const { current } = list
    if (current === null) return undefined
    const read = () => {
      const covered = cover.current?.getBoundingClientRect().height ?? 0
      const top = Math.round(covered - current.getBoundingClientRect().top)
      const height = Math.round(innerHeight - covered)
      setPlace((before) => (before.top === top && before.height === height ? before : { top, height }))
    }
    const observer = new ResizeObserver(read)
    observer.observe(current)
    addEventListener('scroll', read, { passive: true })
    addEventListener('resize', read)
    read()
    return () => {
      observer.disconnect()
      removeEventListener('scroll', read)
      removeEventListener('resize', read)
    }
  }, [list, cover])
  return place
}

const inputs = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const

/** Scrolls to a row until it stays there, since rows above it are measured on the way. Any input ends that. */
function useTarget(
  target: { current: number | undefined },
  list: RefObject<HTMLElement>,
  cover: RefObject<HTMLElement>,
) {
  useEffect(() => {
    const end = () => {
      target.current = undefined
    }
    for (const type of inputs) addEventListener(type, end, { capture: true, passive: true })
    return () => {
      for (const type of inputs) removeEventListener(type, end, { capture: true })
    }
  }, [target])
  return (offset: number) => {
    const { current } = list
    if (current === null) return
    const covered = cover.current?.getBoundingClientRect().height ?? 0
    const distance = current.getBoundingClientRect().top + offset - covered
    const before = scrollY
    scrollBy(0, distance)
    if (Math.abs(scrollY - before) < 1) target.current = undefined
  }
}
