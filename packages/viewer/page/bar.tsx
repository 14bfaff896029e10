import type { ComponentChildren, JSX } from 'preact'
import { useConnectionProblem } from './documents.js'
import { KeySheet } from './key-sheet.js'
import type { Keys } from './keys.js'
import { ThemeChoice } from './theme.js'

/** The bar on top of a page: its name, its keys and the theme. Below it, whether the server has stopped. */
export function Bar({
  own,
  children,
}: {
  /** The page's own keys. */
  readonly own: Keys
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        {children}
        <KeySheet own={own} />
        <ThemeChoice />
      </header>
      <Connection />
    </>
  )
}

/** Says that the server has stopped. The last documents stay visible. */
function Connection(): JSX.Element | null {
  const problem = useConnectionProblem()
  return problem === undefined ? null : (
    <p class="connection" role="alert">
      {problem}
    </p>
  )
}

/** The sign of Jurist. */
export function Scales(): JSX.Element {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true">
      <path
        d="M16 5v21M9 26h14M6 10h20M6 10l-4 9a4.2 4.2 0 0 0 8 0zM26 10l-4 9a4.2 4.2 0 0 0 8 0z"
        fill="none"
        stroke="currentColor"
        stroke-width="2.2"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
