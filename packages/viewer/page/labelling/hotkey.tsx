import type { JSX } from 'preact'

/** The key of a button or a field, for the eye: `aria-keyshortcuts` says it to a screen reader. */
export function Hotkey({ is }: { readonly is: string }): JSX.Element {
  return (
    <span class="hotkey" aria-hidden="true">
      {is}
    </span>
  )
}
