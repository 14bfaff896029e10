import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The height of a row in pixels, as in the style sheet. */
export const rowHeight = 40
/** Rows that are drawn beyond both edges, so that scrolling shows no gap. */
const margin = 12
/** How many rows PageDown moves. */
const pageRows = 15

/** The rows of a long table that a box shows: `from` inclusive, `to` exclusive. */
export function useRowWindow(
  box: RefObject<HTMLElement>,
  total: number,
): { readonly from: number; readonly to: number } {
  const [place, setPlace] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = () => setPlace({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [box])
  return rowWindow(place, total)
}

/** The rows to draw for a scroll position. */
export function rowWindow(
  { top, height }: { readonly top: number; readonly height: number },
  total: number,
): { readonly from: number; readonly to: number } {
  const first = Math.min(Math.floor(top / rowHeight), Math.max(0, total - 1))
  return {
    from: Math.max(0, first - margin),
    to: Math.min(total, first + Math.ceil(height / rowHeight) + margin),
  }
}

/** The row that a key moves the cursor to; `undefined` for keys that do not move it. */
export function movedCursor(key: string, cursor: number, total: number): number | undefined {
  const targets: { readonly [key: string]: number } = {
    ArrowDown: cursor + 1,
    ArrowUp: cursor - 1,
    PageDown: cursor + pageRows,
    PageUp: cursor - pageRows,
    Home: 0,
    End: total - 1,
  }
  const next = Object.hasOwn(targets, key) ? targets[key] : undefined
  return next === undefined || total === 0 ? undefined : Math.min(total - 1, Math.max(0, next))
}

/** Scrolls a box until a row is visible. The heading of the table covers the top of the box. */
export function scrollToRow(box: HTMLElement, row: number): void {
  const heading = box.querySelector('thead')?.clientHeight ?? rowHeight
  const top = row * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight + heading > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight + heading - box.clientHeight
}
