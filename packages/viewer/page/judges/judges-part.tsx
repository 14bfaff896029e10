import {
  counted,
  grouped,
  type JudgeFigures,
  type JudgePair,
  type ScoreDistribution,
  type TierFigures,
  unknown,
} from '@jurist/experiment/internal/results'
import { dollars, duration, percent, score } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { JudgesDocument } from '../../src/answers/run.js'
import { shade, Ticks } from '../charts.js'
import { Loaded, useDocument } from '../documents.js'
import { Part, TablePart } from '../parts.js'
import { linkTo, sortedRows } from '../router.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'

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

/** The agreement of every two judges, kappa and the share of trials, over the trials that both passed or failed. */
function Agreement(props: { readonly judges: readonly string[]; readonly pairs: readonly JudgePair[] }): JSX.Element {
  const { judges, pairs } = props
  return (
    <Part title="Agreement of judges">
      <p class="quiet small">
        Cohen's kappa, the share of trials on which both agree, and n: the trials that both passed or failed.
        {furthestApart(pairs)}
      </p>
      <Table
        label="Agreement of judges"
        look="grid"
        isLow
        rows={judges}
        keyOf={(judge) => judge}
        columns={[
          nameColumn<string>('Judge', (judge) => judge),
          ...judges.slice(1).map((column): Column<string> => matrixColumn(column, judges, pairs)),
        ]}
      />
    </Part>
  )
}

function furthestApart(pairs: readonly JudgePair[]): string {
  const [least] = pairs.toSorted((a, b) => (a.kappa.value ?? 2) - (b.kappa.value ?? 2))
  if (pairs.length < 2 || least === undefined || least.kappa.value === null) return ''
  return ` Furthest apart: ${least.first} and ${least.second}.`
}

/** The pairs of one judge with the judges before it. */
function matrixColumn(column: string, judges: readonly string[], pairs: readonly JudgePair[]): Column<string> {
  const pairWith = (row: string) =>
    judges.indexOf(row) < judges.indexOf(column)
      ? pairs.find(({ first, second }) => first === row && second === column)
      : undefined
  return {
    title: column,
    class: 'number',
    background: (row) => {
      const kappa = pairWith(row)?.kappa.value ?? null
      return kappa === null || kappa <= 0 ? '' : shade('accent', kappa)
    },
    cell: (row) => {
      const pair = pairWith(row)
      return pair === undefined ? '' : <PairCell pair={pair} />
    },
  }
}

function PairCell({ pair: { n, agreed, kappa } }: { readonly pair: JudgePair }): JSX.Element {
  return (
    <>
      {score(kappa.value)}
      <span class="quiet small">
        {' '}
        {percent(agreed / n)} of {grouped(n)}
      </span>
    </>
  )
}

const [width, height, base] = [260, 84, 70]

/** The distribution of the scores of each judge whose scores are between 0 and 1, with the threshold of its vote. */
function Distributions({ judges }: { readonly judges: readonly JudgeFigures[] }): JSX.Element | null {
  const graded = judges.flatMap(({ path, scores, threshold }) => (scores === null ? [] : [{ path, scores, threshold }]))
  return graded.length === 0 ? null : (
    <Part title="Scores">
      <div class="small-charts">
        {graded.map(({ path, scores, threshold }) => {
          const { bins } = scores
          const [most, bar] = [Math.max(...bins), width / bins.length]
          return (
            <figure key={path}>
              <figcaption>
                {path}{' '}
                <span class="quiet small">
                  mean {score(scores.mean)} of {grouped(scores.n)}
                  {threshold === null ? '' : `, threshold ${threshold}`}
                </span>
              </figcaption>
              <svg
                viewBox={`0 0 ${width} ${height}`}
                width={width}
                height={height}
                role="img"
                aria-label={`Scores of ${path}: ${binsText(scores)}`}
              >
                {bins.map((count, bin) => {
                  const tall = (count / most) * (base - 4)
                  return <rect class="bin" key={bin} x={bin * bar + 1} width={bar - 2} y={base - tall} height={tall} />
                })}
                <line class="axis" x1="0" x2={width} y1={base} y2={base} />
                {threshold === null ? null : (
                  <line class="zero" x1={threshold * width} x2={threshold * width} y1="0" y2={base} />
                )}
                <Ticks ticks={[0, 0.5, 1]} at={(share) => share * width} below={height - 2} isInside />
              </svg>
            </figure>
          )
        })}
      </div>
    </Part>
  )
}

function binsText({ bins }: ScoreDistribution): string {
  return bins.flatMap((count, bin) => (count === 0 ? [] : [`${grouped(count)} from ${bin / bins.length}`])).join(', ')
}
