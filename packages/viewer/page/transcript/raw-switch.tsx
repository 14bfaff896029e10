import type { JSX } from 'preact'
import { useKeys } from '../keys.js'
import { changeQuery } from '../router.js'

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
