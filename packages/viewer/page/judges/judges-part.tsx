import { counted, grouped, type JudgeFigures, type TierFigures, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { JudgesDocument } from '../../src/answers/run.js'
import { Loaded, useDocument } from '../documents.js'
import { TablePart } from '../parts.js'
import { linkTo, sortedRows } from '../router.js'
import { type Column, nameColumn, numberColumn } from '../table.js'
import { Agreement } from './agreement.js'
import { Distributions } from './distributions.js'

export function JudgesPart({ run, query }: { readonly run: string; readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<JudgesDocument>(['runs', run, 'judges'])
  return <Loaded of={loading}>{(document) => <Judges run={run} document={document} query={query} />}</Loaded>
}

function Judges(props: {
  readonly run: string
  readonly document: JudgesDocument
  readonly query: URLSearchParams
}): JSX.Element {
  const { judged, judges, pairs, tiers } = props.document
  const { run, query } = props
  if (judged === 0) return <p class="empty">No trial of this run was judged.</p>
  return (
    <>
      <TablePart
        title="Judges"
        look="roomy"
        rows={sortedRows(judges, query, measures)}
        keyOf={({ path }) => path}
        columns={columnsOf(run)}
        query={query}
      >
        <p class="quiet small">Of {counted(judged, 'trial')} with a verdict.</p>
      </TablePart>
      {tiers === null ? null : <Saved tiers={tiers} />}
      {pairs.length === 0 ? null : <Agreement judges={judges.map(({ path }) => path)} pairs={pairs} />}
      <Distributions judges={judges} />
    </>
  )
}

const measures: Readonly<Record<string, (judge: JudgeFigures) => number | null>> = {
  passed: ({ counts }) => counts.pass,
  failed: ({ counts }) => counts.fail,
  abstained: ({ counts }) => counts.abstain,
  errors: ({ counts }) => counts.error,
  notReached: ({ notReached }) => notReached,
  onlyFailed: ({ onlyFailed }) => onlyFailed,
  cost: ({ costUsd }) => costUsd,
  time: ({ medianMs }) => medianMs,
}

/** The columns of judges. A count leads to its trials. */
function columnsOf(run: string): readonly Column<JudgeFigures>[] {
  const counting = (title: string, sort: string, finding?: string) =>
    numberColumn<JudgeFigures>(
      title,
      (judge) => {
        const count = measures[sort]?.(judge) ?? 0
        const query = { judge: `${finding}:${judge.path}`, by: 'trial' }
        return count === 0 || finding === undefined ? (
          grouped(count)
        ) : (
          <a href={linkTo(['runs', run], query)}>{grouped(count)}</a>
        )
      },
      { sort },
    )
  return [
    nameColumn('Judge', ({ path }) => path),
    counting('Passed', 'passed', 'passed'),
    counting('Failed', 'failed', 'failed'),
    counting('Abstained', 'abstained', 'abstained'),
    counting('Errors', 'errors', 'erred'),
    counting('Not reached', 'notReached'),
    counting('Failed alone', 'onlyFailed', 'alone'),
    numberColumn(
      'Cost',
      ({ costUsd, path }) =>
        costUsd === null ? unknown : <a href={linkTo(['runs', run], { spent: `judge:${path}` })}>{dollars(costUsd)}</a>,
      { sort: 'cost' },
    ),
    numberColumn('Time, median', ({ medianMs }) => (medianMs === null ? unknown : duration(medianMs)), {
      sort: 'time',
    }),
  ]
}

/** The decisions of each tier of a cascade, their cost, and the savings where it was not reached. */
function Saved({ tiers }: { readonly tiers: readonly TierFigures[] }): JSX.Element {
  const saved = tiers.flatMap(({ savedUsd }) => savedUsd ?? [])
  return (
    <TablePart title="What the cascade saved" rows={tiers} keyOf={({ name }) => name} columns={tierColumns}>
      <p class="quiet small">
        {saved.length === 0 ? '' : `About ${dollars(saved.reduce((sum, one) => sum + one, 0))}. `}
        An estimate: the mean of a trial that reached the tier, times the trials that did not.
      </p>
    </TablePart>
  )
}

const tierColumns: readonly Column<TierFigures>[] = [
  nameColumn('Tier', ({ name }) => name),
  numberColumn('Reached', ({ reached }) => grouped(reached)),
  numberColumn('Decided', ({ decided }) => grouped(decided)),
  numberColumn('Withheld', ({ withheld }) => grouped(withheld)),
  numberColumn('Cost', ({ costUsd }) => dollars(costUsd)),
  numberColumn('Cost saved', ({ savedUsd }) => dollars(savedUsd)),
  numberColumn('Time saved', ({ savedMs }) => (savedMs === null ? unknown : duration(savedMs))),
]
