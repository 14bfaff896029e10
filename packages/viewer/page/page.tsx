import type { JSX } from 'preact'
import { Bar, Scales } from './bar.js'
import { ComparisonView } from './compare/comparison-view.js'
import { OutputsView } from './compare/outputs-view.js'
import { PairView } from './compare/pair-view.js'
import { ExperimentView } from './experiment/experiment-view.js'
import { ItemView } from './item/item-view.js'
import type { Keys } from './keys.js'
import { NotFound } from './navigation.js'
import { useArrival } from './places.js'
import { type Route, useRoute } from './router.js'
import { RunView } from './run/run-view.js'
import { RunsView } from './runs/runs-view.js'
import { SessionView } from './session/session-view.js'

export function Page(): JSX.Element {
  const route = useRoute()
  const path = route.path.join('/')
  useArrival(path)
  return (
    <>
      <Bar own={pageKeys}>
        <a class="home" href="#/">
          <Scales />
          Jurist
        </a>
      </Bar>
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
    </>
  )
}

function View({ route: { path, query } }: { readonly route: Route }): JSX.Element {
  const [kind, id, part, itemId, repetition, itemPart] = path
  if (kind === undefined) return <RunsView query={query} />
  if (kind === 'runs' && id !== undefined) {
    if (part === 'items' && itemId !== undefined)
      return <ItemView trial={{ run: id, itemId, repetition: repetition ?? '1' }} part={itemPart} query={query} />
    return <RunView id={id} part={part} query={query} key={id} />
  }
  if (kind === 'outputs' && id !== undefined)
    return <OutputsView runs={path.slice(1)} query={query} key={path.join('/')} />
  if (kind === 'compare' && id !== undefined && part !== undefined && itemId === 'items' && repetition !== undefined)
    return <PairView baseline={id} candidate={part} itemId={repetition} part={itemPart} query={query} />
  if (kind === 'compare' && id !== undefined && part !== undefined)
    return <ComparisonView baseline={id} candidate={part} query={query} />
  if (kind === 'experiments' && id !== undefined) return <ExperimentView name={id} query={query} key={id} />
  if (kind === 'sessions' || kind === 'together') return <SessionView path={path} query={query} key={path.join('/')} />
  return <NotFound text="This address does not exist." />
}

// These keys exist in every view. They act on what the view shows: its search field, its tabs, its neighbours, its rows.

/** The page's own keys, without the one that opens the list of keys. */
const pageKeys: Keys = {
  '/': { does: 'Search', act: search },
  j: { does: 'Next row, next trial', act: () => move(1) },
  k: { does: 'Previous row, previous trial', act: () => move(-1) },
  '[': { does: 'Previous tab', act: () => changeTab(-1) },
  ']': { does: 'Next tab', act: () => changeTab(1) },
  u: { does: 'Up, to the list', act: () => all('.crumbs a').at(-1)?.click() },
  c: { does: 'Copy the command or the id', act: () => all('[aria-keyshortcuts="c"]')[0]?.click() },
}

function all(selector: string): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(`main ${selector}`)].filter((one) => one.checkVisibility())
}

function search(): void {
  const [field] = all('input[type="search"]')
  if (!(field instanceof HTMLInputElement)) return
  field.focus()
  field.select()
}

function changeTab(step: 1 | -1): void {
  const tabs = all('.tabs a')
  // A tab counts as current as soon as it is followed, before the page has drawn it, so that a second key works.
  const followed = tabs.findIndex((tab) => tab.getAttribute('href') === location.hash)
  const current = followed === -1 ? tabs.findIndex((tab) => tab.ariaCurrent === 'page') : followed
  const next = tabs[current + step]
  next?.focus()
  next?.click()
}

/** Goes to a neighbour if the view has one. Otherwise it moves the cursor of its grid, or the focus along its rows. */
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
