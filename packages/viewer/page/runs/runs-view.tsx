import { counted, grouped, runKinds } from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import type { RunsDocument } from '../../src/answers/answer.js'
import { Loaded, useDocument } from '../documents.js'
import { SearchField, Select } from '../filters.js'
import { Head } from '../navigation.js'
import { Warnings } from '../parts.js'
import { changeQuery, linkTo, namesIn } from '../router.js'
import { commandLine } from '../text.js'
import { selectedRuns } from './run-selection.js'
import { RunsTable } from './runs-table.js'

interface RunsProps {
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}

const everyTwoSeconds = () => 2_000

export function RunsView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<RunsDocument>(['runs'], undefined, everyTwoSeconds)
  return (
    <Loaded of={loading}>
      {({ runs, warnings, suspects }) => (
        <>
          <RunsHead runs={runs} query={query} />
          <Warnings warnings={warnings} />
          {runs.length === 0 ? (
            <p class="empty">
              This store is empty. Start a run: <code>{commandLine('run')}</code>
            </p>
          ) : (
            <Runs runs={runs} suspects={suspects} query={query} />
          )}
        </>
      )}
    </Loaded>
  )
}

function RunsHead({ runs, query }: RunsProps): JSX.Element {
  const found = selectedRuns(runs, query).length
  const experiments = new Set(runs.map(({ experimentName }) => experimentName))
  return (
    <Head crumbs={[{ name: 'Runs' }]}>
      <span class="quiet">
        {found === runs.length ? '' : `${grouped(found)} of `}
        {counted(runs.length, 'run')} of {counted(experiments.size, 'experiment')}
      </span>
    </Head>
  )
}

function Runs({ runs, suspects, query }: RunsProps & Pick<RunsDocument, 'suspects'>): JSX.Element {
  const found = selectedRuns(runs, query)
  return (
    <>
      <div class="row tools">
        <SearchField label="Experiment, variant, session or id" words={query.get('q') ?? ''} />
        <KindFilter runs={runs} query={query} />
        {namesIn(query, 'compare').length > 0 ? null : <span class="quiet small">Choose two to compare</span>}
      </div>
      {found.length === 0 ? (
        <p class="empty">No run matches. Use fewer words, or choose all kinds.</p>
      ) : (
        <RunsTable found={found} runs={runs} suspects={suspects} query={query} />
      )}
      <CompareBar runs={runs} query={query} />
    </>
  )
}

function KindFilter({ runs, query }: RunsProps): JSX.Element | null {
  const present = runKinds.filter((kind) => runs.some((run) => run.kind === kind))
  if (present.length < 2) return null
  return (
    <Select
      label="Kind of run"
      isLabelHidden
      value={query.get('kind') ?? ''}
      options={[{ value: '', text: 'All kinds' }, ...present.map((kind) => ({ value: kind, text: kind }))]}
      onChange={(kind) => changeQuery({ kind })}
    />
  )
}

/** The chosen runs and what can be done with them. The bar stays in sight while the list scrolls. */
function CompareBar({ runs, query }: RunsProps): JSX.Element | null {
  const chosen = namesIn(query, 'compare')
  const known = runs.filter(({ id }) => chosen.includes(id)).toReversed()
  if (known.length === 0) return null
  // Two runs are compared, with the older one as the baseline; more are shown side by side.
  const [older, newer, ...more] = known
  return (
    <section class="row card compare-bar" aria-label="Chosen runs">
      <span role="status">{known.length === 1 ? '1 chosen, choose one more' : `${grouped(known.length)} chosen`}</span>
      {older === undefined || newer === undefined ? null : more.length === 0 ? (
        <a class="button main" href={linkTo(['compare', older.id, newer.id])}>
          Compare the two
        </a>
      ) : (
        <a class="button main" href={linkTo(['together', ...known.map(({ id }) => id)])}>
          Show side by side
        </a>
      )}
      <button type="button" onClick={() => changeQuery({ compare: undefined })}>
        Choose none
      </button>
    </section>
  )
}
