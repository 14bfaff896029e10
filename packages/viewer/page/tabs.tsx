import type { JSX } from 'preact'

/** One of several views of the same thing. */
export interface Tab {
  readonly name: string
  readonly href: string
  readonly isHere: boolean
}

/** Links to the views of one thing. */
export function Tabs({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ name, href, isHere }) => (
          <li key={name}>
            <a href={href} aria-current={isHere ? 'page' : undefined}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
