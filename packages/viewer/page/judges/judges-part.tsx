import { counted, grouped, type JudgeFigures, type TierFigures, unknown } from '@jurist/experiment/internal/results'
import { dollars, duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { JudgesDocument } from '../../src/answers/run.js'
import { Loaded, useDocument } from '../documents.js'
import { Part } from '../parts.js'
import { type Column, nameColumn, numberColumn, Table } from '../table.js'
import { Agreement } from './agreement.js'
import { Distributions } from './distributions.js'

/** The judges of a run: what each one did, how far they agree, how they scored, and what a cascade saved. */
export function JudgesPart({ run, query }: { readonly run: string; readonly query: URLSearchParams }): JSX.Element {
  const loading = useDocument<JudgesDocument>(['runs', run, 'judges'])
  return <Loaded of={loading}>{(document) => <Judges document={document} query={query} />}</Loaded>
}

function Judges({
  document: { judged, judges, pairs, tiers },
  query,
}: {
  readonly document: JudgesDocument
  readonly query: URLSearchParams
}): JSX.Element {
  if (judged === 0) return <p class="empty">No trial of this run was judged.</p>
  return (
    <>
      <Part title="Judges">
        <p class="quiet small">Of {counted(judged, 'trial')} with a verdict.</p>
        <Table
          label="Judges"
          look="roomy"
          rows={sortedBy(judges, query)}
          keyOf={({ path }) => path}
          columns={judgeColumns}
          query={query}
        />
      </Part>
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

function counting(title: string, sort: string): Column<JudgeFigures> {
  return numberColumn(title, (judge) => grouped(measures[sort]?.(judge) ?? 0), { sort })
}

const judgeColumns: readonly Column<JudgeFigures>[] = [
  nameColumn('Judge', ({ path }) => path),
  counting('Passed', 'passed'),
  counting('Failed', 'failed'),
  counting('Abstained', 'abstained'),
  counting('Errors', 'errors'),
  counting('Not reached', 'notReached'),
  counting('Only it failed', 'onlyFailed'),
  numberColumn('Cost', ({ costUsd }) => dollars(costUsd), { sort: 'cost' }),
  numberColumn('Time, median', ({ medianMs }) => (medianMs === null ? unknown : duration(medianMs)), { sort: 'time' }),
]

function sortedBy(judges: readonly JudgeFigures[], query: URLSearchParams): readonly JudgeFigures[] {
  const measure = measures[query.get('sort') ?? '']
  if (measure === undefined) return judges
  const sign = query.get('order') === 'desc' ? -1 : 1
  return judges.toSorted((a, b) => sign * ((measure(a) ?? -1) - (measure(b) ?? -1)))
}

/** What each tier of a cascade decided, cost, and saved by not being reached. */
function Saved({ tiers }: { readonly tiers: readonly TierFigures[] }): JSX.Element {
  const saved = tiers.flatMap(({ savedUsd }) => savedUsd ?? [])
  return (
    <Part title="What the cascade saved">
      <p class="quiet small">
        {saved.length === 0 ? '' : `About ${dollars(saved.reduce((sum, one) => sum + one, 0))}. `}
        An estimate: the mean of a trial that reached the tier, times the trials that did not.
      </p>
      <Table label="What the cascade saved" rows={tiers} keyOf={({ name }) => name} columns={tierColumns} />
    </Part>
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
