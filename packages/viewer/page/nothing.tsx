import type { JSX } from 'preact'
import { Crumbs } from './crumbs.js'

/** What an address leads to that leads nowhere. */
export function Nothing({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      <Crumbs way={[{ name: 'Runs', href: '#/' }, { name: 'Nothing' }]} />
      <h1>Nothing is here</h1>
      <p class="empty">{text}</p>
    </>
  )
}
