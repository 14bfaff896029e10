import type { ComponentChildren, JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { changeQuery, namesIn, routeOf, toggled } from '../router.js'
import { ReadingContext } from './place-link.js'

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
