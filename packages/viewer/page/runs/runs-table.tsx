import { counted, grouped, points, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { Fragment, type JSX } from 'preact'
import { RunStatusWord } from '../marks.js'
import { changeQuery, linkTo, namesIn, routeOf, toggled } from '../router.js'
import { Cell, type Column, Heading, nameColumn, numberColumn, Scroller } from '../table.js'
import { dateAndTime, sessionText } from '../text.js'
import { GroupHead } from './group-head.js'
import { fewRuns, groupedRuns, type RunGroup, runBefore } from './run-selection.js'

interface RunsProps {
  readonly found: readonly RunEntry[]
  readonly runs: readonly RunEntry[]
  readonly query: URLSearchParams
}

/** Runs in a table, by experiment, each with a checkbox to choose it for a comparison. */
export function RunsTable({ found, runs, query }: RunsProps): JSX.Element {
  const columns = columnsFor(found, runs, new Set(namesIn(query, 'compare')))
  return (
    <Scroller label="Runs">
      <table class="runs">
        <thead>
          <tr>
            {columns.map((column, index) => (
              <Heading key={index} column={column} query={query} />
            ))}
          </tr>
        </thead>
        {groupedRuns(found, runs).map((group) => (
          <Group key={group.experimentName} group={group} columns={columns} query={query} />
        ))}
      </table>
    </Scroller>
  )
}

function Group(props: {
  readonly group: RunGroup
  readonly columns: readonly Column<RunEntry>[]
  readonly query: URLSearchParams
}): JSX.Element {
  const { group, columns, query } = props
  const { experimentName, runs } = group
  const open = namesIn(query, 'open')
  const chosen = namesIn(query, 'compare')
  const isOpen = query.has('q') || open.includes(experimentName) || runs.length <= fewRuns + 1
  return (
    <tbody>
      <GroupHead group={group} columns={columns.length} />
      {(isOpen ? runs : runs.slice(0, fewRuns)).map((run, at) => (
        <Fragment key={run.id}>
          <SessionRow run={run} before={runs[at - 1]} runs={runs} columns={columns.length} />
          <tr class={chosen.includes(run.id) ? 'chosen' : undefined}>
            {columns.map((column, index) => (
              <Cell key={index} column={column} row={run} />
            ))}
          </tr>
        </Fragment>
      ))}
      {isOpen ? null : (
        <tr>
          <td colSpan={columns.length} class="more">
            <button
              type="button"
              class="minor"
              onClick={() => changeQuery({ open: [...open, experimentName].join(',') })}
            >
              Show all {grouped(runs.length)} runs of {experimentName}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  )
}

/** The heading of the runs of a session, where several of them follow each other. */
function SessionRow(props: {
  readonly run: RunEntry
  readonly before: RunEntry | undefined
  readonly runs: readonly RunEntry[]
  readonly columns: number
}): JSX.Element | null {
  const { run, before, runs, columns } = props
  const { session, experimentName } = run
  const isSame = (other: RunEntry | undefined) => other !== undefined && other.session === session
  const size = runs.filter(isSame).length
  if (session === null || size < 2 || isSame(before)) return null
  return (
    <tr>
      <td colSpan={columns} class="session small">
        <a href={linkTo(['sessions', experimentName, session])}>Session {sessionText(session)}</a>{' '}
        <span class="quiet">{counted(size, 'run')}</span>
      </td>
    </tr>
  )
}

/** The columns for which some run has a value. */
function columnsFor(
  found: readonly RunEntry[],
  all: readonly RunEntry[],
  chosen: ReadonlySet<string>,
): readonly Column<RunEntry>[] {
  const where = (isShown: (run: RunEntry) => boolean, column: Column<RunEntry>) => (found.some(isShown) ? [column] : [])
  return [
    {
      title: <span class="hidden">Compare</span>,
      cell: (run) => <CompareBox run={run} isChosen={chosen.has(run.id)} />,
    },
    {
      ...nameColumn('Run', ({ id, startedAt, excluded, kind }) => (
        <>
          <a class="one-line" href={linkTo(kind === 'judge' ? ['runs', id, 'calibration'] : ['runs', id])}>
            {dateAndTime(startedAt)}
          </a>
          {excluded === null ? null : <span class="tag">excluded: {excluded}</span>}
        </>
      )),
      sort: 'started',
    },
    ...where(({ variant }) => variant !== null, {
      title: 'Variant',
      sort: 'variant',
      cell: ({ variant }) => variant ?? quietUnknown,
    }),
    ...where(({ kind }) => kind !== 'agent', {
      title: 'Kind',
      class: 'wide-only',
      cell: ({ kind }) => (kind === 'agent' ? '' : kind),
    }),
    ...where(({ status }) => status !== 'completed', {
      title: 'Status',
      class: 'middle-only',
      sort: 'status',
      cell: ({ status }) => (status === 'completed' ? '' : <RunStatusWord status={status} />),
    }),
    numberColumn('Pass rate', ({ passRate }) => percent(passRate), { sort: 'rate' }),
    numberColumn('± points', (run) => <Delta run={run} before={runBefore(run, all)} />, { class: 'middle-only' }),
    { title: 'Trials', class: 'wide-only', cell: ({ counts }) => <Trials counts={counts} /> },
    ...where(({ costUsd, judgeCostUsd }) => costUsd !== null || judgeCostUsd !== null, {
      ...numberColumn('Cost', wholeCost, { class: 'middle-only', sort: 'cost' }),
    }),
    numberColumn('Time', ({ durationMs }) => duration(durationMs), { class: 'wide-only', sort: 'time' }),
    ...where(({ gitCommit }) => gitCommit !== null, {
      title: 'Commit',
      class: 'wide-only',
      cell: ({ gitCommit }) => (gitCommit === null ? quietUnknown : <span class="code">{gitCommit.slice(0, 8)}</span>),
    }),
  ]
}

/** The agents and the judges; the tooltip tells them apart. */
function wholeCost({ costUsd, judgeCostUsd }: RunEntry): JSX.Element {
  const whole = costUsd === null && judgeCostUsd === null ? null : (costUsd ?? 0) + (judgeCostUsd ?? 0)
  return <span title={`agents ${dollars(costUsd)}, judges ${dollars(judgeCostUsd)}`}>{dollars(whole)}</span>
}

function Delta({ run, before }: { readonly run: RunEntry; readonly before: RunEntry | undefined }): JSX.Element {
  if (before === undefined || run.passRate === null || before.passRate === null) return quietUnknown
  return <a href={linkTo(['compare', before.id, run.id])}>{points(run.passRate - before.passRate)}</a>
}

const quietUnknown = <span class="quiet">{unknown}</span>

/** Returns `96 of 120, 2 undecided, 22 not run`. */
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

function CompareBox(props: { readonly run: RunEntry; readonly isChosen: boolean }): JSX.Element {
  const { id, experimentName, variant, startedAt } = props.run
  const { isChosen } = props
  const toggle = () => changeQuery({ compare: toggled(namesIn(routeOf(location.hash).query, 'compare'), id).join(',') })
  return (
    <input
      type="checkbox"
      aria-label={`Compare ${experimentName} ${variant ?? ''} of ${dateAndTime(startedAt)}`}
      checked={isChosen}
      onChange={toggle}
    />
  )
}
