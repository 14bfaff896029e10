import type { JSX } from 'preact'

/** A number with its name, and what it rests on. */
export interface Figure {
  readonly name: string
  readonly value: string
  readonly basis?: string
}

/** Numbers that stand alone. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }): JSX.Element {
  return (
    <dl class="figures">
      {figures.map(({ name, value, basis }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          <dd>{basis}</dd>
        </div>
      ))}
    </dl>
  )
}
