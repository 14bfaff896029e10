import type { JSX } from 'preact'

/** A share of one as a bar; the number stands beside it, so it is hidden from readers of text. */
export function Gauge({ share }: { readonly share: number | null }): JSX.Element {
  return (
    <span class="gauge" aria-hidden="true">
      <span style={{ width: `${(share ?? 0) * 100}%` }} />
    </span>
  )
}
