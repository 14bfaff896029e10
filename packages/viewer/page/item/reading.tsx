import type { Check } from '@jurist/core'
import { placesIn } from '@jurist/experiment/internal/results'
import { type ComponentChildren, createContext, type JSX } from 'preact'
import { type MutableRef, useContext, useEffect, useRef } from 'preact/hooks'
import { useKeys } from '../keys.js'
import { changeQuery, linkTo, namesIn, routeOf, type TrialRoute, toggled, trialPath } from '../router.js'
import { plainText } from '../text.js'

/** How a trial is shown, according to the address. */
interface Reading {
  /** The trial whose files places link to; `null` if its workspace was not kept, so that places are plain text. */
  readonly trial: TrialRoute | null
  /** Whether strings are shown as recorded, without Markdown and colours. */
  readonly isRaw: boolean
  /** The disclosures that the reader has opened or closed. */
  readonly toggled: ReadonlySet<string>
}

export const ReadingContext = createContext<Reading>({ trial: null, isRaw: false, toggled: new Set() })

/** A place in the agent's final workspace: a path, and a line counted from 1. */
export type Place = Required<Check>['location']

/** `src/orders.js:7`, as a link that opens the changes at that line. */
export function PlaceLink(props: { readonly place: Place; readonly text?: string }): JSX.Element {
  const { path, line } = props.place
  const { text = `${path}${line === undefined ? '' : `:${line}`}` } = props
  const { trial } = useContext(ReadingContext)
  if (trial === null) return <span class="code">{text}</span>
  return (
    <a class="code" href={linkTo(trialPath(trial, 'changes'), { path, line: line?.toString() })}>
      {text}
    </a>
  )
}

/** Shows a string without control sequences. The places that it names become links. */
export function PlacedText({ text: given }: { readonly text: string }): JSX.Element {
  const text = plainText(given)
  const parts: (JSX.Element | string)[] = []
  let end = 0
  for (const place of useContext(ReadingContext).trial === null ? [] : placesIn(text)) {
    parts.push(text.slice(end, place.start))
    parts.push(<PlaceLink key={place.start} place={place} text={text.slice(place.start, place.end)} />)
    end = place.end
  }
  return (
    <>
      {parts}
      {text.slice(end)}
    </>
  )
}

export function placeIn(query: URLSearchParams): Place | undefined {
  const path = query.get('path')?.replace(/^(?:\.\/)+/, '') ?? ''
  const line = Number(query.get('line'))
  if (path === '') return undefined
  return Number.isSafeInteger(line) && line > 0 ? { path, line } : { path }
}

/** When the address names this element, it is scrolled into view and gets the focus. */
export function useFocusAt<Element extends HTMLElement>(isAt: boolean): MutableRef<Element | null> {
  const ref = useRef<Element | null>(null)
  useEffect(() => {
    if (!isAt) return undefined
    // This waits for the frame in which the page itself scrolls to the top of a new view.
    const frame = requestAnimationFrame(() => {
      ref.current?.scrollIntoView({ block: 'center' })
      ref.current?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [isAt])
  return ref
}

/** The parameter of the address that lists what the reader has opened or closed. */
const parameter = 'toggled'

/** Reads the ids of disclosures that are not in their initial state. */
export function toggledIn(query: URLSearchParams): ReadonlySet<string> {
  return new Set(namesIn(query, parameter))
}

/** A part that opens and closes. The address contains its state, so that a link shows what its sender saw. */
export function Disclosure(given: {
  /** Unique in its view. */
  readonly id: string
  readonly class: string
  readonly summary: ComponentChildren
  readonly isOpenAtFirst?: boolean
  readonly children: ComponentChildren
}): JSX.Element {
  const { id: name, summary, isOpenAtFirst = false, children, ...props } = given
  const id = encodeURIComponent(name)
  const isOpen = useContext(ReadingContext).toggled.has(id) !== isOpenAtFirst
  const toggle = (open: boolean) => {
    if (open === isOpen) return
    changeQuery({ [parameter]: toggled(namesIn(routeOf(location.hash).query, parameter), id).join(',') })
  }
  return (
    <details class={props.class} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children : null}
    </details>
  )
}

/** Whether the address asks for recorded strings, without Markdown and colours. */
export function isRaw(query: URLSearchParams): boolean {
  return query.get('raw') === 'yes'
}

/** Switches between rendered and recorded strings, also by the key `r`. The address keeps the choice. */
export function RawSwitch({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const pressed = isRaw(query)
  const change = () => changeQuery({ raw: pressed ? undefined : 'yes' })
  useKeys({ r: { does: 'Raw or rendered texts', act: change } })
  return (
    <button type="button" aria-pressed={pressed} aria-keyshortcuts="r" title="Key: r" onClick={change}>
      Raw
    </button>
  )
}
