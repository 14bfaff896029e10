import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { Crumbs } from '../crumbs.js'
import { changeQuery, linkTo } from '../place.js'
import { SearchField } from '../search-field.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Warnings } from '../warnings.js'
import { chosenRuns } from './chosen-runs.js'
import { RunsTable } from './runs-table.js'

interface RunsDocument {
  readonly runs: readonly RunEntry[]
  readonly warnings: readonly string[]
}

const everyTwoSeconds = () => 2_000

/** All runs of the store: to look for, to sort, and to choose two of them. */
export function RunsView({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<RunsDocument>(['runs'], undefined, everyTwoSeconds)
  return (
    <>
      <Crumbs way={[{ name: 'Runs' }]} />
      <State of={loading}>
        {({ runs, warnings }) => (
          <>
            <Warnings warnings={warnings} />
            {runs.length === 0 ? <NoRuns /> : <Runs runs={runs} query={query} />}
          </>
        )}
      </State>
    </>
  )
}

function NoRuns(): JSX.Element {
  return (
    <>
      <h1>Runs</h1>
      <p class="empty">
        This store is empty. Make the first run: <code>jurist run</code>
      </p>
    </>
  )
}

function Runs({ runs, query }: { readonly runs: readonly RunEntry[]; readonly query: URLSearchParams }): JSX.Element {
  const found = foundRuns(runs, query)
  return (
    <>
      <div class="head">
        <h1>Runs</h1>
        <span class="quiet">{found.length === runs.length ? runs.length : `${found.length} of ${runs.length}`}</span>
      </div>
      <div class="tools" style={{ marginTop: '1.2rem' }}>
        <SearchField label="Experiment, variant, session or id" words={query.get('q') ?? ''} />
        <KindChoice runs={runs} query={query} />
        <CompareLink runs={runs} query={query} />
      </div>
      {found.length === 0 ? (
        <p class="empty">No run fits. Search for less, or choose all kinds.</p>
      ) : (
        <RunsTable runs={found} query={query} />
      )}
    </>
  )
}

const kinds: Readonly<Record<RunEntry['kind'], string>> = {
  agent: 'Agents',
  judge: 'Calibrations',
  rejudge: 'Judged again',
}

function KindChoice({ runs, query }: { readonly runs: readonly RunEntry[]; readonly query: URLSearchParams }) {
  const there = (Object.keys(kinds) as RunEntry['kind'][]).filter((kind) => runs.some((run) => run.kind === kind))
  if (there.length < 2) return null
  const wanted = query.get('kind') ?? ''
  return (
    <label>
      <span class="hidden">Kind of run</span>
      <select value={wanted} onChange={(event) => changeQuery({ kind: event.currentTarget.value })}>
        <option value="">All kinds</option>
        {there.map((kind) => (
          <option value={kind} key={kind}>
            {kinds[kind]}
          </option>
        ))}
      </select>
    </label>
  )
}

/** The older run is the baseline. */
function CompareLink({ runs, query }: { readonly runs: readonly RunEntry[]; readonly query: URLSearchParams }) {
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

function foundRuns(runs: readonly RunEntry[], query: URLSearchParams): readonly RunEntry[] {
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/)
  const kind = query.get('kind')
  const found = runs.filter((run) => {
    const text = [run.id, run.experimentName, run.variant, run.session, run.status].join(' ').toLowerCase()
    return (kind === null || run.kind === kind) && words.every((word) => text.includes(word))
  })
  const measure = columns[query.get('sort') ?? '']
  if (measure === undefined) return found
  const direction = query.get('order') === 'desc' ? -1 : 1
  return found.toSorted((a, b) => {
    const [left, right] = [measure(a), measure(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left < right ? -direction : left > right ? direction : 0
  })
}

const columns: Readonly<Record<string, (run: RunEntry) => string | number | null>> = {
  experiment: ({ experimentName }) => experimentName,
  variant: ({ variant }) => variant,
  started: ({ startedAt }) => startedAt,
  status: ({ status }) => status,
  passed: ({ counts }) => counts.passes,
  rate: ({ passRate }) => passRate,
  undecided: ({ counts }) => counts.undecided,
  cost: ({ costUsd }) => costUsd,
}
