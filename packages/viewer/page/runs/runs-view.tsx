import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { Loaded, useDocument } from '../documents.js'
import { SearchField, Select } from '../filters.js'
import { Head } from '../navigation.js'
import { Warnings } from '../parts.js'
import { changeQuery, linkTo } from '../router.js'
import { chosenRuns, runKinds, selectedRuns } from './run-selection.js'
import { RunsTable } from './runs-table.js'

interface RunsDocument {
  readonly runs: readonly RunEntry[]
  readonly warnings: readonly string[]
}

interface RunsProps {
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}

const everyTwoSeconds = () => 2_000

/** All runs of the store, to search, to sort, and to choose two of them for a comparison. */
export function RunsView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<RunsDocument>(['runs'], undefined, everyTwoSeconds)
  return (
    <Loaded of={loading}>
      {({ runs, warnings }) => (
        <>
          <RunsHead runs={runs} query={query} />
          <Warnings warnings={warnings} />
          {runs.length === 0 ? <NoRuns /> : <Runs runs={runs} query={query} />}
        </>
      )}
    </Loaded>
  )
}

function RunsHead({ runs, query }: RunsProps): JSX.Element {
  const found = selectedRuns(runs, query).length
  return (
    <Head crumbs={[{ name: 'Runs' }]}>
      <span class="quiet">{found === runs.length ? runs.length : `${found} of ${runs.length}`}</span>
    </Head>
  )
}

function NoRuns(): JSX.Element {
  return (
    <p class="empty">
      This store is empty. Start a run: <code>jurist run</code>
    </p>
  )
}

function Runs({ runs, query }: RunsProps): JSX.Element {
  const found = selectedRuns(runs, query)
  return (
    <>
      <div class="tools">
        <SearchField label="Experiment, variant, session or id" words={query.get('q') ?? ''} />
        <KindFilter runs={runs} query={query} />
        <CompareLink runs={runs} query={query} />
      </div>
      {found.length === 0 ? (
        <p class="empty">No run matches. Use fewer words, or choose all kinds.</p>
      ) : (
        <RunsTable runs={found} query={query} />
      )}
    </>
  )
}

function KindFilter({ runs, query }: RunsProps): JSX.Element | null {
  const present = (Object.keys(runKinds) as RunEntry['kind'][]).filter((kind) => runs.some((run) => run.kind === kind))
  if (present.length < 2) return null
  return (
    <Select
      label="Kind of run"
      isLabelHidden
      value={query.get('kind') ?? ''}
      options={[{ value: '', text: 'All kinds' }, ...present.map((kind) => ({ value: kind, text: runKinds[kind] }))]}
      onChange={(kind) => changeQuery({ kind })}
    />
  )
}

/** The older run is the baseline. */
function CompareLink({ runs, query }: RunsProps): JSX.Element {
  const chosen = chosenRuns(query)
  const [older, newer] = runs.filter(({ id }) => chosen.includes(id)).toReversed()
  if (older === undefined || newer === undefined)
    return (
      <span class="quiet small">{chosen.length === 1 ? 'Choose one more to compare' : 'Choose two to compare'}</span>
    )
  return (
    <a class="button main" href={linkTo(['compare', older.id, newer.id])}>
      Compare the two
    </a>
  )
}
