import { grouped, points, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { JSX } from 'preact'
import { RunStatusWord } from '../marks.js'
import { changeQuery, linkTo, routeOf } from '../router.js'
import { Scroller, SortHeading } from '../table.js'
import { dateAndTime } from '../text.js'
import { GroupHead } from './group-head.js'
import { chosenRuns, fewRuns, groupedRuns, type RunGroup, runBefore, toggledRun } from './run-selection.js'

interface RunsProps {
  /** The runs that match the query. */
  readonly found: readonly RunEntry[]
  /** All runs of the store, newest first. */
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}

/** Runs as a table by experiment, each with a checkbox to choose it for a comparison. */
export function RunsTable({ found, runs, query }: RunsProps): JSX.Element {
  const chosen = new Set(chosenRuns(query))
  const shown = {
    variant: found.some(({ variant }) => variant !== null),
    kind: found.some(({ kind }) => kind !== 'agent'),
    session: found.some(({ session }) => session !== null),
    commit: found.some(({ gitCommit }) => gitCommit !== null),
  }
  const columns = allColumns.filter(({ name }) => !Object.hasOwn(shown, name) || shown[name as keyof typeof shown])
  return (
    <Scroller label="Runs">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Compare</span>
            </th>
            {columns.map(({ name, title, class: className, isSorted }) =>
              isSorted === true ? (
                <SortHeading key={name} column={name} query={query} class={className}>
                  {title}
                </SortHeading>
              ) : (
                <th scope="col" key={name} class={className}>
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        {groupedRuns(found, runs).map((group) => (
          <Group key={group.experimentName} group={group} columns={columns} chosen={chosen} query={query} />
        ))}
      </table>
    </Scroller>
  )
}

interface GroupProps {
  readonly group: RunGroup
  readonly columns: readonly RunColumn[]
  readonly chosen: ReadonlySet<string>
  readonly query: URLSearchParams
}

function Group({ group, columns, chosen, query }: GroupProps): JSX.Element {
  const { experimentName, runs, all } = group
  const open = (query.get('open') ?? '').split(',')
  const isOpen = query.has('q') || open.includes(experimentName) || runs.length <= fewRuns + 1
  const shown = isOpen ? runs : runs.slice(0, fewRuns)
  return (
    <tbody>
      <GroupHead group={group} columns={columns.length + 1} />
      {shown.map((run) => (
        <tr key={run.id} class={chosen.has(run.id) ? 'chosen' : undefined}>
          <td>
            <CompareBox run={run} isChosen={chosen.has(run.id)} />
          </td>
          <th scope="row" class="name-cell">
            <a href={linkTo(['runs', run.id])}>{dateAndTime(run.startedAt)}</a>
            {run.excluded === null ? null : <span class="tag">excluded: {run.excluded}</span>}
          </th>
          {columns.slice(1).map(({ name, class: className, cell }) => (
            <td key={name} class={className}>
              {cell(run, all)}
            </td>
          ))}
        </tr>
      ))}
      {isOpen ? null : (
        <tr>
          <td colSpan={columns.length + 1} class="more">
            <button
              type="button"
              onClick={() => changeQuery({ open: [...open, experimentName].filter((name) => name !== '').join(',') })}
            >
              Show all {grouped(runs.length)} runs of {experimentName}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** A column of the runs. Its name is that of the `sort` parameter. */
interface RunColumn {
  readonly name: string
  readonly title: string
  readonly class?: string
  readonly isSorted?: boolean
  readonly cell: (run: RunEntry, all: readonly RunEntry[]) => JSX.Element | string
}

const allColumns: readonly RunColumn[] = [
  { name: 'started', title: 'Run', isSorted: true, cell: ({ startedAt }) => dateAndTime(startedAt) },
  { name: 'variant', title: 'Variant', isSorted: true, cell: ({ variant }) => variant ?? quietUnknown },
  { name: 'kind', title: 'Kind', class: 'wide-only', cell: ({ kind }) => kind },
  {
    name: 'session',
    title: 'Session',
    class: 'widest-only',
    cell: ({ session, experimentName }) =>
      session === null ? quietUnknown : <a href={linkTo(['sessions', experimentName, session])}>{session}</a>,
  },
  {
    name: 'status',
    title: 'Status',
    class: 'middle-only',
    isSorted: true,
    cell: ({ status }) => <RunStatusWord status={status} />,
  },
  {
    name: 'rate',
    title: 'Pass rate',
    class: 'number',
    isSorted: true,
    cell: ({ passRate }) => percent(passRate),
  },
  {
    name: 'delta',
    title: '± points',
    class: 'number middle-only',
    cell: (run, all) => {
      const before = runBefore(run, all)
      if (before === undefined || run.passRate === null || before.passRate === null) return quietUnknown
      return <a href={linkTo(['compare', before.id, run.id])}>{points(run.passRate - before.passRate)}</a>
    },
  },
  { name: 'trials', title: 'Trials', class: 'wide-only', cell: ({ counts }) => <Trials counts={counts} /> },
  {
    name: 'cost',
    title: 'Agents',
    class: 'number middle-only',
    isSorted: true,
    cell: ({ costUsd }) => dollars(costUsd),
  },
  {
    name: 'judges',
    title: 'Judges',
    class: 'number wide-only',
    isSorted: true,
    cell: ({ judgeCostUsd }) => dollars(judgeCostUsd),
  },
  {
    name: 'time',
    title: 'Time',
    class: 'number wide-only',
    isSorted: true,
    cell: ({ durationMs }) => duration(durationMs),
  },
  {
    name: 'commit',
    title: 'Commit',
    class: 'wide-only',
    cell: ({ gitCommit }) => (gitCommit === null ? quietUnknown : <span class="code">{gitCommit.slice(0, 8)}</span>),
  },
]

const quietUnknown = <span class="quiet">{unknown}</span>

/** `96 of 120, 2 undecided, 22 not run`. */
function Trials({ counts }: Pick<RunEntry, 'counts'>): JSX.Element {
  const { passes, decided, undecided, notRun } = counts
  return (
    <>
      {grouped(passes)}{' '}
      <span class="quiet">
        of {grouped(decided)}
        {undecided > 0 ? `, ${grouped(undecided)} undecided` : ''}
        {notRun > 0 ? `, ${grouped(notRun)} not run` : ''}
      </span>
    </>
  )
}

function CompareBox({
  run: { id, experimentName, variant, startedAt },
  isChosen,
}: {
  readonly run: RunEntry
  readonly isChosen: boolean
}): JSX.Element {
  const toggle = () => changeQuery({ compare: toggledRun(chosenRuns(routeOf(location.hash).query), id).join(',') })
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${experimentName} ${variant ?? ''} of ${dateAndTime(startedAt)}`}
      checked={isChosen}
      onChange={toggle}
    />
  )
}
