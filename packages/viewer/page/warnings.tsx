import type { JSX } from 'preact'

/** What the store warns of: runs and lines that are damaged or left out. */
export function Warnings({ warnings }: { readonly warnings: readonly string[] }): JSX.Element | null {
  if (warnings.length === 0) return null
  return (
    <section class="note bad" aria-label="Warnings of the store">
      <ul class="plain">
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </section>
  )
}
