import type { JSX } from 'preact'

/** The letters at the end that always stay visible: they tell `…-orders-01` from `…-orders-02`. */
const kept = 8

/** A name that is cut in its middle where it does not fit. The whole name is selected and copied. */
export function MiddleCut({ text }: { readonly text: string }): JSX.Element {
  const letters = [...text]
  return (
    <span class="cut">
      <span class="cut-start">{letters.slice(0, -kept).join('')}</span>
      {letters.slice(-kept).join('')}
    </span>
  )
}
