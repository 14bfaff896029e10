import type { JSX } from 'preact'
import { Bar, Scales } from './bar.js'
import { ComparisonView } from './compare/comparison-view.js'
import { OutputsView } from './compare/outputs-view.js'
import { ExperimentView } from './experiment/experiment-view.js'
import { lazyView } from './lazy-view.js'
import { NotFound } from './navigation.js'
import { pageKeys } from './page-keys.js'
import { useArrival } from './places.js'
import { type Route, useRoute } from './router.js'
import { RunView } from './run/run-view.js'
import { RunsView } from './runs/runs-view.js'
import { SessionView } from './session/session-view.js'

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
      <Bar own={pageKeys}>
        <a class="home" href="#/">
          <Scales />
          Jurist
        </a>
      </Bar>
      <main id="main" tabIndex={-1}>
        <View route={route} />
      </main>
    </>
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
