import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'

/** One step of the way from the list of runs to here; the last one is here and has no link. */
export interface Crumb {
  readonly name: string
  readonly href?: string
}

/** The way back, and the title of the window. */
export function Crumbs({ way }: { readonly way: readonly Crumb[] }): JSX.Element {
  const title = [...way.map(({ name }) => name).reverse(), 'Jurist'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
  return (
    <nav class={way.length === 1 ? 'crumbs alone' : 'crumbs'} aria-label="Way back">
      <ol>
        {way.map(({ name, href }) => (
          <li key={name}>{href === undefined ? <span aria-current="page">{name}</span> : <a href={href}>{name}</a>}</li>
        ))}
      </ol>
    </nav>
  )
}
