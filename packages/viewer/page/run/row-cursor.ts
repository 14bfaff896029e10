import { rowHeight } from './visible-rows.js'

const page = 15

/** Where a key moves the cursor of the table; `undefined` for keys that move nothing. */
export function moved(key: string, cursor: number, total: number): number | undefined {
  const steps: { readonly [key: string]: number } = {
    ArrowDown: cursor + 1,
    ArrowUp: cursor - 1,
    PageDown: cursor + page,
    PageUp: cursor - page,
    Home: 0,
    End: total - 1,
  }
  const next = Object.hasOwn(steps, key) ? steps[key] : undefined
  return next === undefined || total === 0 ? undefined : Math.min(total - 1, Math.max(0, next))
}

/** Scrolls a box, whose heading covers a row or so, until a row can be seen. */
export function keptVisible(box: HTMLElement, row: number): void {
  const heading = box.querySelector('thead')?.clientHeight ?? rowHeight
  const top = row * rowHeight
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + rowHeight + heading > box.scrollTop + box.clientHeight)
    box.scrollTop = top + rowHeight + heading - box.clientHeight
}
