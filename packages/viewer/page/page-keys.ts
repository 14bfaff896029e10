import type { Keys } from './keys.js'

// The keys that every view has. They press what the view shows: its search field, its tabs, its neighbours, its rows.

/** The page's own keys, without the sheet that lists them. */
export const pageKeys: Keys = {
  '/': { does: 'Search', act: search },
  j: { does: 'Next row, next trial', act: () => move(1) },
  k: { does: 'Previous row, previous trial', act: () => move(-1) },
  '[': { does: 'Previous tab', act: () => changeTab(-1) },
  ']': { does: 'Next tab', act: () => changeTab(1) },
  u: { does: 'Up, to the list', act: () => last('.crumbs a')?.click() },
  c: { does: 'Copy the command or the id', act: () => all('[aria-keyshortcuts="c"]')[0]?.click() },
}

function all(selector: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`main ${selector}`)].filter((one) => one.checkVisibility())
}

function last(selector: string): HTMLElement | undefined {
  return all(selector).at(-1)
}

function search(): void {
  const [field] = all('input[type="search"]')
  if (!(field instanceof HTMLInputElement)) return
  field.focus()
  field.select()
}

function changeTab(step: 1 | -1): void {
  const tabs = all('.tabs a')
  const next = tabs[tabs.findIndex((tab) => tab.ariaCurrent === 'page') + step]
  next?.focus()
  next?.click()
}

/** Goes to a neighbour where the view has neighbours; else moves the cursor of its grid, or the focus along its rows. */
function move(step: 1 | -1): void {
  const neighbours = all('[rel="next"], [rel="prev"]')
  if (neighbours.length > 0) {
    all(step === 1 ? '[rel="next"]' : '[rel="prev"]')[0]?.click()
    return
  }
  const [grid] = all('[role="grid"]')
  if (grid !== undefined) {
    grid.focus({ preventScroll: true })
    const key = step === 1 ? 'ArrowDown' : 'ArrowUp'
    grid.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
    return
  }
  const rows = all('tbody th[scope="row"] a')
  const at = rows.indexOf(document.activeElement as HTMLElement)
  rows[Math.min(rows.length - 1, Math.max(0, at + step))]?.focus()
}
