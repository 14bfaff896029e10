import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The height of a row in pixels, as in the style sheet. */
export const rowHeight = 32
/** Rows that are drawn beyond both edges, so that scrolling shows no gap. */
const margin = 12
/** How many rows PageDown moves. */
const pageRows = 15

/** The rows of a long table to draw: `from` inclusive, `to` exclusive. */
interface RowWindow {
  readonly from: number
  readonly to: number
}

/** The rows of a long table that are visible, whether its box scrolls or, in a small window, the page. */
export function useRowWindow(box: RefObject<HTMLElement>, total: number): RowWindow {
  const [shown, setShown] = useState(() => rowWindow({ top: 0, height: 800 }, total))
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = () =>
      setShown((before) => {
        const now = rowWindow(visiblePart(element), total)
        return now.from === before.from && now.to === before.to ? before : now
      })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    const scrolling = { capture: true, passive: true }
    addEventListener('scroll', measure, scrolling)
    measure()
    return () => {
      observer.disconnect()
      removeEventListener('scroll', measure, scrolling)
    }
  }, [box, total])
  return { from: Math.min(shown.from, total), to: Math.min(shown.to, total) }
}

/** The part of a box's content that is in the window. */
function visiblePart(box: HTMLElement): { readonly top: number; readonly height: number } {
  const { top, bottom } = box.getBoundingClientRect()
  const [from, to] = [Math.max(0, top), Math.min(innerHeight, bottom)]
  return { top: box.scrollTop + from - top, height: Math.max(0, to - from) }
}

/** The rows to draw for a scroll position. */
export function rowWindow(
  { top, height }: { readonly top: number; readonly height: number },
  total: number,
): RowWindow {
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

/** Scrolls until a row is visible: the box, or the page where the box does not scroll. The heading covers the top of a box. */
export function scrollToRow(box: HTMLElement, row: number): void {
  const heading = box.querySelector('thead')?.clientHeight ?? rowHeight
  const top = row * rowHeight
  if (box.scrollHeight <= box.clientHeight + 1) {
    const place = box.getBoundingClientRect().top + heading + top
    if (place < 0 || place + rowHeight > innerHeight) scrollBy(0, place - innerHeight / 2)
  } else if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight + heading > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight + heading - box.clientHeight
}
