import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { ComparisonView } from './compare/comparison-view.js'
import { ItemView } from './item/item-view.js'
import { Nothing } from './nothing.js'
import { type Place, usePlace } from './place.js'
import { RunView } from './run/run-view.js'
import { RunsView } from './runs/runs-view.js'
import { useConnectionProblem } from './source.js'
import { ThemeChoice } from './theme-choice.js'

/** The whole page: its frame, and the view of the place where the reader is. */
export function Page(): JSX.Element {
  const place = usePlace()
  const where = place.path.join('/')
  useEffect(() => {
    if (where !== '') scrollTo(0, 0)
  }, [where])
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        To the content
      </button>
      <header class="bar">
        <a class="home" href="#/">
          <Scales />
          Jurist
        </a>
        <ThemeChoice />
      </header>
      <Connection />
      <main id="main" tabIndex={-1}>
        <View place={place} />
      </main>
    </>
  )
}

/** Says that the server has stopped, beside what was last seen of it. */
function Connection(): JSX.Element | null {
  const problem = useConnectionProblem()
  return problem === undefined ? null : (
    <p class="connection" role="alert">
      {problem}
    </p>
  )
}

function View({ place: { path, query } }: { readonly place: Place }): JSX.Element {
  const [kind, id, part, itemId, repetition, itemPart] = path
  if (kind === undefined) return <RunsView query={query} />
  if (kind === 'runs' && id !== undefined) {
    if (part === 'items' && itemId !== undefined)
      return <ItemView trial={{ run: id, itemId, repetition: repetition ?? '1' }} part={itemPart} query={query} />
    return <RunView id={id} part={part} query={query} key={id} />
  }
  if (kind === 'compare' && id !== undefined && part !== undefined)
    return <ComparisonView baseline={id} candidate={part} query={query} />
  return <Nothing text="There is nothing at this address." />
}

function Scales(): JSX.Element {
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
