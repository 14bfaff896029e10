import { counted, grouped, isMeasurement, points, rateInterval, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration, percent } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { Fragment, type JSX } from 'preact'
import { IntervalChart, Sparkline } from '../charts.js'
import { RunStatusWord } from '../marks.js'
import { changeQuery, linkTo, namesIn, routeOf, toggled } from '../router.js'
import { Cell, type Column, Heading, nameColumn, numberColumn, Scroller } from '../table.js'
import { dateAndTime, intervalText, sessionText } from '../text.js'
import { bySession, costOf, fewRuns, groupedRuns, type RunGroup, runBefore } from './run-selection.js'

interface RunsProps {
  readonly found: readonly RunEntry[]
  readonly runs: readonly RunEntry[]
  readonly suspects: Readonly<Record<string, number>>
  readonly query: URLSearchParams
}

/** Runs in a table, by experiment, each with a checkbox to choose it for a comparison. */
export function RunsTable({ found, runs, suspects, query }: RunsProps): JSX.Element {
  const columns = columnsFor(found, runs, { chosen: new Set(namesIn(query, 'compare')), suspects })
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
  const folded = namesIn(query, 'fold')
  const rows = bySession(runs)
  const isOpen = query.has('q') || open.includes(experimentName) || rows.length <= fewRuns + 1
  return (
    <tbody>
      <GroupHead group={group} columns={columns.length} />
      {(isOpen ? rows : rows.slice(0, fewRuns)).map((together, at) => {
        const [{ id, session }, ...others] = together
        const isSession = session !== null && others.length > 0
        // The newest session is open at first. A name in the address changes that.
        const isUnfolded = !isSession || query.has('q') || (at === 0) !== folded.includes(session)
        return (
          <Fragment key={id}>
            {isSession ? (
              <SessionRow runs={together} session={session} isUnfolded={isUnfolded} columns={columns.length} />
            ) : null}
            {(isUnfolded ? together : []).map((run) => (
              <tr key={run.id} class={`${isSession ? 'inside' : ''} ${chosen.includes(run.id) ? 'chosen' : ''}`}>
                {columns.map((column, index) => (
                  <Cell key={index} column={column} row={run} />
                ))}
              </tr>
            ))}
          </Fragment>
        )
      })}
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

/** The heading of the runs of a session, which folds them. */
function SessionRow(props: {
  readonly runs: readonly [RunEntry, ...RunEntry[]]
  readonly session: string
  readonly isUnfolded: boolean
  readonly columns: number
}): JSX.Element {
  const { runs, session, isUnfolded, columns } = props
  const { experimentName } = runs[0]
  const name = sessionText(session)
  const rates = runs.flatMap(({ passRate }) => passRate ?? []).toSorted((one, other) => one - other)
  const [lowest, highest] = [rates[0] ?? null, rates.at(-1) ?? null]
  const fold = () => changeQuery({ fold: toggled(namesIn(routeOf(location.hash).query, 'fold'), session).join(',') })
  return (
    <tr>
      <td>
        <button
          type="button"
          class="minor"
          aria-expanded={isUnfolded}
          aria-label={`Runs of session ${name}`}
          onClick={fold}
        >
          {isUnfolded ? '▾' : '▸'}
        </button>
      </td>
      <td colSpan={columns - 1} class="small">
        <a href={linkTo(['sessions', experimentName, session])}>Session {name}</a>{' '}
        <span class="quiet">
          {counted(runs.length, 'run')}
          {lowest === null
            ? ''
            : `, ${lowest === highest ? percent(lowest) : rateInterval({ low: lowest, high: highest ?? lowest })}`}
        </span>
      </td>
    </tr>
  )
}

/** The columns for which some run has a value. */
function columnsFor(
  found: readonly RunEntry[],
  all: readonly RunEntry[],
  { chosen, suspects }: Pick<RunsProps, 'suspects'> & { readonly chosen: ReadonlySet<string> },
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
    numberColumn('Pass rate', (run) => <Rate run={run} />, { sort: 'rate' }),
    ...where(({ id }) => suspects[id] !== undefined, {
      ...numberColumn('Suspect', ({ id }) => <Suspects count={suspects[id]} run={id} />),
    }),
    ...where(({ passRateInterval }) => passRateInterval != null, {
      title: '95 %',
      class: 'wide-only',
      cell: ({ kind, passRate, passRateInterval = null }) =>
        passRateInterval === null || !isMeasurement(kind) ? null : (
          <IntervalChart
            value={passRate}
            interval={passRateInterval}
            label={intervalText(passRateInterval)}
            width={110}
          />
        ),
    }),
    ...where((run) => runBefore(run, all) !== undefined, {
      ...numberColumn('± points', (run) => <Delta run={run} before={runBefore(run, all)} />, { class: 'middle-only' }),
    }),
    { title: 'Trials', class: 'wide-only', cell: ({ counts }) => <Trials counts={counts} /> },
    ...where((run) => costOf(run) !== null, {
      ...numberColumn(
        'Cost',
        (run) => (
          <span title={`agents ${dollars(run.costUsd)}, judges ${dollars(run.judgeCostUsd)}`}>
            {dollars(costOf(run))}
          </span>
        ),
        { class: 'middle-only', sort: 'cost' },
      ),
    }),
    numberColumn('Time', ({ durationMs }) => duration(durationMs), { class: 'wide-only', sort: 'time' }),
    ...where(({ gitCommit }) => gitCommit !== null, {
      title: 'Commit',
      class: 'wide-only',
      cell: ({ gitCommit }) => (gitCommit === null ? quietUnknown : <span class="code">{gitCommit.slice(0, 8)}</span>),
    }),
  ]
}

function Delta({ run, before }: { readonly run: RunEntry; readonly before: RunEntry | undefined }): JSX.Element {
  if (before === undefined || run.passRate === null || before.passRate === null) return quietUnknown
  return <a href={linkTo(['compare', before.id, run.id])}>{points(run.passRate - before.passRate)}</a>
}

/** How many trials of a run are suspect. A run that was never scanned has no number. */
function Suspects({ count, run }: { readonly count: number | undefined; readonly run: string }): JSX.Element {
  if (count === undefined) return quietUnknown
  if (count === 0) return <span class="quiet">0</span>
  return <a href={linkTo(['runs', run], { finding: 'suspect' })}>{grouped(count)}</a>
}

const quietUnknown = <span class="quiet">{unknown}</span>

/** The passes of a run that vets a benchmark are what got through. */
function Rate({ run: { kind, passRate, counts } }: { readonly run: RunEntry }): JSX.Element {
  const word = kind === 'probe' ? 'got through' : kind === 'mutate' ? 'survived' : undefined
  if (word === undefined) return <>{percent(passRate)}</>
  return (
    <span class="quiet">
      {grouped(counts.passes)} of {grouped(counts.decided)} {word}
    </span>
  )
}

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

const mostRuns = 40

/** The experiment of a group: its trend, and its last run compared with the previous one. */
function GroupHead({ group, columns }: { readonly group: RunGroup; readonly columns: number }): JSX.Element {
  const { experimentName, all, trend } = group
  return (
    <tr class="group">
      <th scope="rowgroup" colSpan={columns}>
        <div class="row group-head">
          <a class="group-name" href={linkTo(['experiments', experimentName])}>
            {experimentName}
          </a>
          <span class="quiet small">{counted(all.length, 'run')}</span>
          {trend.length < 2 ? null : (
            <>
              <Sparkline shares={trend.slice(-mostRuns).map(({ passRate }) => passRate)} />
              <span class="small">
                {trend[0]?.variant == null ? '' : <span class="quiet">{trend[0].variant} </span>}
                {lastText(group)}
              </span>
            </>
          )}
        </div>
      </th>
    </tr>
  )
}

/** Returns `80.0 %, -1.7 points to the run before`. */
function lastText({ trend }: RunGroup): string {
  const [last, before] = [trend.at(-1)?.passRate ?? null, trend.at(-2)?.passRate ?? null]
  const delta = last === null || before === null ? null : last - before
  return delta === null ? percent(last) : `${percent(last)}, ${points(delta)} points to the run before`
}
