import { asText } from '@jurist/core'
import type { ItemResult } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { count } from '../amounts.js'
import { plainText } from '../plain-text.js'
import { VerdictTree } from './verdict-tree.js'
import { whyStopped } from './why-stopped.js'

/** The verdict, why it came to that, and what it was about. */
export function VerdictPart({ item }: { readonly item: ItemResult }): JSX.Element {
  return (
    <div class="columns">
      <div>
        {item.failure === null ? null : (
          <section class="part">
            <h2>Failure</h2>
            <p class="note bad">
              {item.failure.origin}: {plainText(item.failure.message)}
              {item.failure.infrastructure ? ' (of the infrastructure: nothing was decided)' : ''}
            </p>
          </section>
        )}
        <Verdict item={item} />
        <Attempts item={item} />
      </div>
      <div>
        <section class="part">
          <h2>Task</h2>
          <p class="prose">{item.task}</p>
        </section>
        <Output item={item} />
      </div>
    </div>
  )
}

function Verdict({ item: { verdict, detail } }: { readonly item: ItemResult }): JSX.Element {
  if (verdict === null)
    return (
      <section class="part">
        <h2>Verdict</h2>
        <p class="empty">This trial was not judged.</p>
      </section>
    )
  const tone = verdict.aggregated.status === 'pass' ? 'good' : verdict.aggregated.status === 'fail' ? 'bad' : ''
  const why = whyStopped(verdict)
  return (
    <section class="part">
      <h2>Verdict</h2>
      {why === undefined ? null : <p class={`note ${tone}`}>{why}</p>}
      <VerdictTree verdict={verdict} />
      {detail?.kind === 'judge' ? (
        <p class="note">
          Expected <strong>{detail.expectedLabel ?? 'nothing'}</strong>: {plainText(detail.scorer.reasoning)}
        </p>
      ) : null}
    </section>
  )
}

function Attempts({ item: { attempts } }: { readonly item: ItemResult }): JSX.Element | null {
  if (attempts.length === 0) return null
  return (
    <section class="part">
      <h2>Earlier attempts</h2>
      <ol class="checks" style={{ margin: 0 }}>
        {attempts.map(({ failure }, index) => (
          <li key={`${index + 1}`}>
            <span class="quiet">{index + 1}</span> {plainText(failure.message)}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** A browser that lays out more than this is busy for seconds. */
const mostShown = 200_000

/** What the agent answered. */
function Output({ item: { detail } }: { readonly item: ItemResult }): JSX.Element | null {
  if (detail?.kind !== 'agent') return null
  const text = plainText(asText(detail.invocation.output))
  return (
    <section class="part">
      <h2>Output of the agent</h2>
      {text.length > mostShown ? (
        <p class="quiet small">
          The first {count(mostShown)} of {count(text.length)} characters.
        </p>
      ) : null}
      {text === '' ? (
        <p class="quiet">It answered nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keys
        <pre class="sheet" tabIndex={0}>
          {text.slice(0, mostShown)}
        </pre>
      )}
    </section>
  )
}
