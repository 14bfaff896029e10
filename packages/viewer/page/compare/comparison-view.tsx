import type { Comparison } from '@jurist/experiment/compare'
import {
  byLabelsText,
  type ConditionDifference,
  findings,
  flipsText,
  grouped,
  priceText,
  sequentialHeadline,
  testText,
} from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import type { ComparisonDocument } from '../../src/answers/comparison.js'
import { Loaded, useDocument } from '../documents.js'
import { Head, NotFound } from '../navigation.js'
import { Notes, TablePart } from '../parts.js'
import { linkTo } from '../router.js'
import { dateAndTime, runName } from '../text.js'
import { BehaviourPart } from './behaviour-part.js'
import { ChangedItems } from './changed-items.js'
import { Measures } from './measures.js'

export function ComparisonView(props: {
  readonly baseline: string
  readonly candidate: string
  readonly query: URLSearchParams
}): JSX.Element {
  const { baseline, candidate, query } = props
  const search = new URLSearchParams([...query].filter(([name]) => ['change', 'q', 'ignore'].includes(name)))
  const loading = useDocument<ComparisonDocument>(['compare', baseline, candidate], search)
  return (
    <Loaded of={loading} missing={<NotFound text="This store does not have both of these runs." />}>
      {(document) => (
        <>
          <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: 'Comparison' }]} />
          {document.state === 'refused' ? (
            <>
              <p class="note fail">
                The two runs were measured under different conditions, so their difference would be meaningless.
              </p>
              <Differences differences={document.differences} />
              <p style={{ marginTop: '1rem' }}>
                <a class="button" href={linkTo(['compare', baseline, candidate], { ignore: 'conditions' })}>
                  Compare anyway
                </a>
              </p>
            </>
          ) : (
            <>
              <ComparedRuns comparison={document.comparison} />
              <Conclusion comparison={document.comparison} />
              <ChangedItems document={document} query={query} />
              <BehaviourPart baseline={baseline} candidate={candidate} />
              <Measures comparison={document.comparison} />
              <Differences differences={document.comparison.differences} />
              <Notes notes={document.comparison.notes} />
            </>
          )}
        </>
      )}
    </Loaded>
  )
}

type Compared = Extract<ComparisonDocument, { readonly state: 'compared' }>

function ComparedRuns({ comparison }: { readonly comparison: Compared['comparison'] }): JSX.Element {
  const { baseline, candidate } = comparison
  return (
    <dl class="versus">
      {[['Baseline', baseline] as const, ['Candidate', candidate] as const].map(([role, run]) => (
        <div key={role}>
          <dt class="quiet small">{role}</dt>
          <dd>
            <a href={linkTo(['runs', run.id])}>{runName(run)}</a>{' '}
            <span class="quiet small">{dateAndTime(run.startedAt)}</span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Conclusion({ comparison }: { readonly comparison: Compared['comparison'] }): JSX.Element {
  const { conclusion, passRate } = comparison
  const tone = conclusion === 'improved' ? 'pass' : conclusion === 'regressed' ? 'fail' : ''
  const [flips, price] = [flipsText(comparison.flips), priceText(comparison)]
  const [stop, ...more] = sequentialHeadline(comparison)
  const byLabels = byLabelsText(comparison)
  // Scores were looked at whenever the pass rate was: at an early stop their p values promise too much.
  const found = comparison.sequential?.isEarly === true ? [] : findings(comparison)
  return (
    <>
      <p class={`note ${tone}`} style={{ marginTop: '1.2rem' }}>
        {stop ?? conclusions[conclusion]} {price} {passRateText(passRate)}
      </p>
      {[...more, ...(byLabels === null ? [] : [byLabels]), ...(flips === null ? [] : [flips]), ...found].map(
        (sentence) => (
          <p class="quiet" style={{ marginTop: '0.5rem' }} key={sentence}>
            {sentence}
          </p>
        ),
      )}
    </>
  )
}

const conclusions: Readonly<Record<Comparison['conclusion'], string>> = {
  improved: 'Improved.',
  regressed: 'Regressed.',
  'no-difference-detected': 'No difference was detected.',
  'insufficient-data': 'There are too few items to draw a conclusion.',
}

function passRateText(passRate: Comparison['passRate']): string {
  if (passRate === null) return 'No item was decided in both runs.'
  const { better, worse, same } = passRate.test
  return `${grouped(better)} items better, ${grouped(worse)} worse, ${grouped(same)} the same; ${testText(passRate)}.`
}

/** The conditions that differ between two runs; `null` without any. */
function Differences({ differences }: { readonly differences: readonly ConditionDifference[] }): JSX.Element | null {
  return differences.length === 0 ? null : (
    <TablePart
      title="Different conditions"
      rows={differences}
      keyOf={({ condition }) => condition}
      columns={[
        { title: 'Condition', isRowHeading: true, cell: ({ condition }) => condition },
        { title: 'Baseline', class: 'code', cell: ({ baseline }) => JSON.stringify(baseline) },
        { title: 'Candidate', class: 'code', cell: ({ candidate }) => JSON.stringify(candidate) },
        {
          title: 'Note',
          class: 'quiet',
          cell: ({ reason, allowed }) =>
            `${reason === 'undeclared' ? 'declared by one run only' : ''}${allowed ? '' : ' not intended to differ'}`,
        },
      ]}
    />
  )
}
