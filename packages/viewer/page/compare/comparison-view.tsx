import type { JSX } from 'preact'
import type { ComparisonDocument } from '../../src/answers/comparison.js'
import { instant } from '../amounts.js'
import { Crumbs } from '../crumbs.js'
import { Nothing } from '../nothing.js'
import { linkTo } from '../place.js'
import { nameOf } from '../run-name.js'
import { useDocument } from '../source.js'
import { State } from '../state.js'
import { Changes } from './changes.js'
import { chanceWords, conclusionWords } from './conclusion-words.js'
import { Differences } from './differences.js'
import { Measures } from './measures.js'

/** Two runs side by side: what it amounts to, what flipped, what else moved, and what was different on purpose. */
export function ComparisonView({
  baseline,
  candidate,
  query,
}: {
  readonly baseline: string
  readonly candidate: string
  readonly query: URLSearchParams
}): JSX.Element {
  const search = new URLSearchParams([...query].filter(([name]) => name === 'ignore' || name === 'change'))
  const loading = useDocument<ComparisonDocument>(['compare', baseline, candidate], search)
  return (
    <State of={loading} missing={<Nothing text="This store does not have both of these runs." />}>
      {(document) => (
        <>
          <Crumbs way={[{ name: 'Runs', href: '#/' }, { name: 'Comparison' }]} />
          {document.state === 'refused' ? (
            <Refused document={document} baseline={baseline} candidate={candidate} />
          ) : (
            <Compared document={document} query={query} />
          )}
        </>
      )}
    </State>
  )
}

export type Compared = Extract<ComparisonDocument, { readonly state: 'compared' }>

function Compared({ document, query }: { readonly document: Compared; readonly query: URLSearchParams }): JSX.Element {
  const { comparison } = document
  const { baseline, candidate, conclusion, passRate, notes } = comparison
  const tone = conclusion === 'improved' ? 'good' : conclusion === 'regressed' ? 'bad' : ''
  return (
    <>
      <h1>Comparison</h1>
      <dl class="versus">
        {[['Baseline', baseline] as const, ['Candidate', candidate] as const].map(([role, run]) => (
          <div key={role}>
            <dt>{role}</dt>
            <dd>
              <a href={linkTo(['runs', run.id])}>{nameOf(run.experimentName, run.variant)}</a>{' '}
              <span class="quiet small">{instant(run.startedAt)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p class={`note ${tone}`} style={{ marginTop: '1.2rem' }}>
        {conclusionWords(conclusion, passRate)}
      </p>
      {chanceWords(comparison).map((words) => (
        <p class="quiet" style={{ marginTop: '0.5rem' }} key={words}>
          {words}
        </p>
      ))}
      <Changes document={document} query={query} />
      <Measures comparison={comparison} />
      <Differences differences={comparison.differences} />
      {notes.length === 0 ? null : (
        <section class="part">
          <h2>Notes</h2>
          <ul class="plain">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function Refused({
  document: { differences },
  baseline,
  candidate,
}: {
  readonly document: Extract<ComparisonDocument, { readonly state: 'refused' }>
  readonly baseline: string
  readonly candidate: string
}): JSX.Element {
  return (
    <>
      <h1>Comparison</h1>
      <p class="note bad" style={{ marginTop: '1rem' }}>
        The two runs were not measured alike, so their difference would mean nothing.
      </p>
      <Differences differences={differences} />
      <p style={{ marginTop: '1rem' }}>
        <a class="button" href={linkTo(['compare', baseline, candidate], { ignore: 'conditions' })}>
          Compare all the same
        </a>
      </p>
    </>
  )
}
