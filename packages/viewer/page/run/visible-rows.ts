import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Height of a row in pixels, as the style sheet has it. */
export const rowHeight = 40
/** Rows drawn beyond both edges, so that scrolling shows no gap. */
const margin = 12

/** Which rows a box shows of a long table: `from` inclusive, `to` exclusive. */
export function useVisibleRows(
  box: RefObject<HTMLElement>,
  total: number,
): { readonly from: number; readonly to: number } {
  const [place, setPlace] = useState({ top: 0, height: 800 })
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const look = () => setPlace({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [box])
  const first = Math.min(Math.floor(place.top / rowHeight), Math.max(0, total - 1))
  return {
    from: Math.max(0, first - margin),
    to: Math.min(total, first + Math.ceil(place.height / rowHeight) + margin),
  }
}
