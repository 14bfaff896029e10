import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { linkTo, type Route, remember, remembered, routeOf } from './router.js'

// The position of the reader at each address of this tab, so that Back returns to it.

interface Place {
  /** The scroll position of the window, in pixels. */
  top: number
  /** A selector of the element that had the focus when the reader left. */
  focus: string | undefined
  /** The state of parts of the view, such as the scroll position and the cursor of a table. */
  readonly kept: Map<string, unknown>
}

const places = new Map<string, Place>()
const newPlace = (): Place => ({ top: 0, focus: undefined, kept: new Map() })

const current = { address: '', entry: '', place: newPlace(), isReturn: false }
let isUpward = false
let entries = 0

/** Tracks the addresses of the tab. It must be called before anything is drawn. */
export function followPlaces(): void {
  history.scrollRestoration = 'manual'
  Object.assign(current, { address: location.hash, entry: entryOfHistory() ?? markedEntry() })
  places.set(location.hash, current.place)
  keepQuery()
  addEventListener('click', (event) => {
    isUpward = event.target instanceof Element && event.target.closest('.crumbs a') !== null
  })
  addEventListener('hashchange', move)
}

function move(): void {
  const entry = entryOfHistory()
  if (entry === current.entry) rename()
  else {
    current.place.top = scrollY
    current.place.focus = selectorOf(document.activeElement)
    const known = places.get(location.hash)
    const isReturn = known !== undefined && (entry !== undefined || isUpward)
    const place = isReturn ? known : newPlace()
    places.set(location.hash, place)
    Object.assign(current, { address: location.hash, entry: entry ?? markedEntry(), place, isReturn })
  }
  isUpward = false
  keepQuery()
}

/** A filter changes the address of the place and of its entry in the history. */
function rename(): void {
  places.delete(current.address)
  places.set(location.hash, current.place)
  current.address = location.hash
}

function entryOfHistory(): string | undefined {
  const state: unknown = history.state
  return typeof state === 'string' ? state : undefined
}

function markedEntry(): string {
  const entry = `${performance.timeOrigin} ${++entries}`
  history.replaceState(entry, '')
  return entry
}

function selectorOf(element: Element | null): string | undefined {
  const link = element?.closest('main a[href]')
  if (link !== null && link !== undefined) return `main a[href="${CSS.escape(link.getAttribute('href') ?? '')}"]`
  return element?.matches('main [role="grid"]') === true ? 'main [role="grid"]' : undefined
}

const storedQueries = 'jurist-queries'

/** The last query of each path, such as the filters of a list. A reload keeps them. */
const queries = new Map<string, string>(JSON.parse(remembered('sessionStorage', storedQueries) ?? '[]'))

function keepQuery(): void {
  const { path, query } = routeOf(location.hash)
  queries.set(linkTo(path), query.toString())
  remember('sessionStorage', storedQueries, JSON.stringify([...queries].slice(-100)))
}

/** Returns the query with which a path was last shown in this tab. */
export function lastQuery(path: Route['path']): URLSearchParams {
  return new URLSearchParams(queries.get(linkTo(path)))
}

/** Returns the link to a path as it was last shown in this tab, with its filters. */
export function linkBack(path: Route['path']): string {
  return linkTo(path, Object.fromEntries(lastQuery(path)))
}

/** Like `useState`, but the value returns when the reader comes back to the address. */
export function useKept<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const [place] = useState(current.place)
  const [value, setValue] = useState<Value>(() => (place.kept.has(name) ? (place.kept.get(name) as Value) : initial))
  const keep = (next: Value) => {
    place.kept.set(name, next)
    setValue(() => next)
  }
  return [value, keep]
}

/**
 * Keeps the scroll position of a box. When the reader comes back, it is restored as soon as the content is high enough.
 *
 * @returns the position, in pixels
 */
export function useKeptScroll(box: RefObject<HTMLElement>, name: string): number {
  const [place] = useState(current.place)
  const [kept] = useState(() => Number(place.kept.get(name) ?? 0))
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const keep = () => void place.kept.set(name, element.scrollTop)
    const stop = repeated(element, () => {
      element.scrollTop = kept
      return Math.abs(element.scrollTop - kept) < 1
    })
    element.addEventListener('scroll', keep, { passive: true })
    return () => {
      stop()
      element.removeEventListener('scroll', keep)
    }
  }, [box, name, place])
  return kept
}

/**
 * Places the reader when the path changes: at the former position with the former focus on the way back, or at the top
 * of a new view with the focus on its heading. A tab that was pressed keeps the focus.
 */
export function useArrival(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return undefined
    shown.current = path
    const main = document.getElementById('main')
    if (main === null) return undefined
    const { isReturn, place } = current
    const { top, focus } = isReturn ? place : newPlace()
    const isTab = document.activeElement?.closest('main .tabs') !== null
    const stops = [
      repeated(main, () => {
        scrollTo(0, top)
        return Math.abs(scrollY - top) < 1
      }),
      repeated(main, () => {
        if (isTab && !isReturn && document.activeElement?.isConnected === true) return true
        const target = focus === undefined ? undefined : main.querySelector<HTMLElement>(focus)
        if (target !== null && target !== undefined) return isFocused(target)
        const heading = main.querySelector('.waiting') === null ? main.querySelector('h1') : null
        if (heading === null) return false
        heading.tabIndex = -1
        return isFocused(heading) && focus === undefined
      }),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }, [path])
}

function isFocused(element: HTMLElement): boolean {
  element.focus({ preventScroll: true })
  return document.activeElement === element
}

const input = ['keydown', 'pointerdown', 'wheel'] as const

/**
 * Repeats a step whenever something within an element changes, until it is done or the reader does something.
 *
 * @returns a function that stops it
 */
function repeated(element: HTMLElement, isDone: () => boolean): () => void {
  const end = () => {
    mutations.disconnect()
    for (const type of input) removeEventListener(type, end, true)
  }
  const step = () => {
    if (isDone()) end()
  }
  const mutations = new MutationObserver(step)
  mutations.observe(element, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] })
  for (const type of input) addEventListener(type, end, { capture: true, passive: true })
  step()
  return end
}
