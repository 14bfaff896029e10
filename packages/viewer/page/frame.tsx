import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ItemView } from './item-view.js'
import { type Place, usePlace } from './place.js'
import { RunView } from './run-view.js'
import { RunsView } from './runs-view.js'
import { ThemeChoice } from './theme-choice.js'

/** The whole page: its frame, and the view of the place where the reader is. */
export function Page(): JSX.Element {
  const place = usePlace()
  const where = place.path.join('/')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place begins at its top
  useEffect(() => scrollTo(0, 0), [where])
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        To the content
      </a>
      <header class="bar">
        <a class="home" href="#/">
          Jurist
        </a>
        <ThemeChoice />
      </header>
      <main id="main" tabIndex={-1} key={where}>
        <View place={place} />
      </main>
    </>
  )
}

function View({ place: { path, query } }: { readonly place: Place }): JSX.Element {
  const [kind, id, part, itemId, repetition] = path
  if (kind === undefined) return <RunsView query={query} />
  if (kind === 'runs' && id !== undefined) {
    if (part === undefined) return <RunView id={id} query={query} />
    if (part === 'items' && itemId !== undefined)
      return <ItemView run={id} itemId={itemId} repetition={Number(repetition ?? 1)} query={query} />
  }
  return <p class="empty">There is nothing at this address.</p>
}

/** The hash is the reader's place, so the jump is made by hand. */
function toMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
