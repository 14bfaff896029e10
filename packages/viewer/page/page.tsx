import type { JSX } from 'preact'
import { ComparisonView } from './compare/comparison-view.js'
import { OutputsView } from './compare/outputs-view.js'
import { useConnectionProblem } from './documents.js'
import { ExperimentView } from './experiment/experiment-view.js'
import { KeySheet } from './key-sheet.js'
import { lazyView } from './lazy-view.js'
import { NotFound } from './navigation.js'
import { useArrival } from './places.js'
import { type Route, useRoute } from './router.js'
import { RunView } from './run/run-view.js'
import { RunsView } from './runs/runs-view.js'
import { SessionView } from './session/session-view.js'
import { ThemeChoice } from './theme.js'

/** Views that show transcripts and changes bring the readers of Markdown and terminal colours with them. */
const ItemView = lazyView(async () => (await import('./item/item-view.js')).ItemView)
const PairView = lazyView(async () => (await import('./compare/pair-view.js')).PairView)

/** The whole page: the bar on top and the view of the current route. */
export function Page(): JSX.Element {
  const route = useRoute()
  const path = route.path.join('/')
  useArrival(path)
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="bar">
        <a class="home" href="#/">
          <Scales />
          Jurist
        </a>
        <KeySheet />
        <ThemeChoice />
      </header>
      <Connection />
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
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

function View({ route: { path, query } }: { readonly route: Route }): JSX.Element {
  const [kind, id, part, itemId, repetition, itemPart] = path
  if (kind === undefined) return <RunsView query={query} />
  if (kind === 'runs' && id !== undefined) {
    if (part === 'items' && itemId !== undefined)
      return <ItemView trial={{ run: id, itemId, repetition: repetition ?? '1' }} part={itemPart} query={query} />
    return <RunView id={id} part={part} query={query} key={id} />
  }
  if (kind === 'outputs' && id !== undefined)
    return <OutputsView runs={path.slice(1)} query={query} key={path.join('/')} />
  if (kind === 'compare' && id !== undefined && part !== undefined && itemId === 'items' && repetition !== undefined)
    return <PairView baseline={id} candidate={part} itemId={repetition} part={itemPart} query={query} />
  if (kind === 'compare' && id !== undefined && part !== undefined)
    return <ComparisonView baseline={id} candidate={part} query={query} />
  if (kind === 'experiments' && id !== undefined) return <ExperimentView name={id} query={query} key={id} />
  if (kind === 'sessions' || kind === 'together') return <SessionView path={path} query={query} key={path.join('/')} />
  return <NotFound text="This address does not exist." />
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
